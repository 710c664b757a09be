import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { DomainError } from '../../../common/errors/domain-error.js';
import type { FeedDocument, ParsedFeed } from '../parsed-feed.js';
import type { ReadingResult } from './read-feed.worker.js';
import { UnreadableDocument } from './unreadable-document.js';

export interface FeedReadingPoolOptions {
  /** Documents read at the same time; by default one core is left to the service. */
  readonly size?: number;
  /** How long one document may take; then its worker is ended. */
  readonly timeLimitSeconds?: number;
  /** Memory one document may take, in MiB; beyond it the worker ends and the service goes on. */
  readonly maxOldGenerationMb?: number;
  /** Documents that may wait for a worker. */
  readonly maxWaiting?: number;
}

/** The pool takes no more documents now: too many wait, or the service is stopping. */
export class FeedReadingUnavailable extends DomainError {
  readonly kind = 'unavailable';
}

interface Job {
  readonly document: FeedDocument;
  readonly resolve: (feed: ParsedFeed) => void;
  readonly reject: (error: Error) => void;
}

interface Reader {
  readonly worker: Worker;
  job: Job | null;
  timer: NodeJS.Timeout | null;
}

/** Compiled code finds the compiled worker beside it; code run from its source, the source. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './read-feed.worker.from-source.mjs' : './read-feed.worker.js',
  import.meta.url,
);

/**
 * Reads feeds outside the main thread, so that no document can hold up the answers to clients: it
 * takes processor time only from its own worker and is ended at its limits. Workers start when
 * they are first needed, stay warm, and do not keep the process alive while they are idle.
 */
export class FeedReadingPool {
  private readonly size: number;
  private readonly timeLimitSeconds: number;
  private readonly maxOldGenerationMb: number;
  private readonly maxWaiting: number;
  private readonly readers = new Set<Reader>();
  private readonly waiting: Job[] = [];
  private closed = false;

  constructor(options: FeedReadingPoolOptions = {}) {
    this.size = options.size ?? Math.max(1, availableParallelism() - 1);
    this.timeLimitSeconds = options.timeLimitSeconds ?? 10;
    this.maxOldGenerationMb = options.maxOldGenerationMb ?? 512;
    this.maxWaiting = options.maxWaiting ?? 1_000;
  }

  /**
   * Reads one document in a worker.
   *
   * @throws UnreadableDocument when it is no feed, takes too long or too much memory
   * @throws FeedReadingUnavailable when too many documents wait, or after `close`
   */
  async read(document: FeedDocument): Promise<ParsedFeed> {
    if (this.closed) throw new FeedReadingUnavailable('The service is stopping.');
    if (this.waiting.length >= this.maxWaiting) {
      throw new FeedReadingUnavailable('Too many feeds are being read; try again later.');
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ document, resolve, reject });
      this.assign();
    });
  }

  /** Ends all workers. Documents being read or waiting are given up. */
  async close(): Promise<void> {
    this.closed = true;
    const stopping = new FeedReadingUnavailable('The service is stopping.');
    for (const job of this.waiting.splice(0)) job.reject(stopping);
    await Promise.all([...this.readers].map((reader) => this.end(reader, stopping)));
  }

  private assign(): void {
    while (this.waiting.length > 0) {
      const idle = [...this.readers].find(({ job }) => job === null);
      const reader = idle ?? (this.readers.size < this.size ? this.start() : null);
      const job = reader && this.waiting.shift();
      if (!job) return;
      this.give(reader, job);
    }
  }

  private start(): Reader {
    const worker = new Worker(WORKER, {
      resourceLimits: { maxOldGenerationSizeMb: this.maxOldGenerationMb },
    });
    const reader: Reader = { worker, job: null, timer: null };
    this.readers.add(reader);
    worker.on('message', (result: ReadingResult) => this.finish(reader, result));
    worker.on('error', (error) => void this.end(reader, this.deathOf(error)));
    worker.on('exit', () => void this.end(reader, this.deathOf(null)));
    worker.unref();
    return reader;
  }

  private give(reader: Reader, job: Job): void {
    reader.job = job;
    reader.worker.ref();
    reader.timer = setTimeout(() => {
      const limit = this.timeLimitSeconds;
      void this.end(
        reader,
        new UnreadableDocument(`The document took longer than ${limit} s to read.`),
      );
    }, this.timeLimitSeconds * 1000);
    // A copy of its own: a view into a larger buffer would take all of that buffer along.
    const bytes = Uint8Array.from(job.document.bytes);
    reader.worker.postMessage({ ...job.document, bytes }, [bytes.buffer]);
  }

  private finish(reader: Reader, result: ReadingResult): void {
    const job = this.release(reader);
    if (!job) return;
    if (result.kind === 'feed') job.resolve(result.feed);
    else if (result.kind === 'unreadable') job.reject(new UnreadableDocument(result.message));
    else job.reject(new Error(`Reading a feed failed: ${result.message}`));
    reader.worker.unref();
    this.assign();
  }

  /** Takes a worker out of the pool for good; a new one starts when it is needed. */
  private async end(reader: Reader, reason: Error): Promise<void> {
    if (!this.readers.delete(reader)) return;
    this.release(reader)?.reject(reason);
    await reader.worker.terminate();
    if (!this.closed) this.assign();
  }

  private release(reader: Reader): Job | null {
    const { job } = reader;
    reader.job = null;
    if (reader.timer) clearTimeout(reader.timer);
    reader.timer = null;
    return job;
  }

  private deathOf(error: unknown): UnreadableDocument {
    const code = typeof error === 'object' && error && 'code' in error ? error.code : null;
    const why =
      code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? `The document takes more than ${this.maxOldGenerationMb} MB of memory to read.`
        : 'The document could not be read: reading it broke off.';
    return new UnreadableDocument(why, { cause: error });
  }
}
