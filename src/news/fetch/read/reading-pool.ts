import { availableParallelism } from 'node:os';
import { DomainError } from '../../../common/errors/domain-error.js';
import type { FeedDocument } from '../parsed-feed.js';
import type { ReadingResult } from './answer-documents.js';
import { openThread, type OpenPlace, type ReadingPlace } from './reading-place.js';
import { UnreadableDocument } from './unreadable-document.js';

export interface ReadingPoolOptions {
  /** Documents read at the same time; by default one core is left to the service. */
  readonly size?: number;
  /** How long one document may take; then its worker is ended. */
  readonly timeLimitSeconds?: number;
  /** Memory one document may take, in MiB; beyond it its reader ends and the service goes on. */
  readonly maxOldGenerationMb?: number;
  /** Documents that may wait for a reader. */
  readonly maxWaiting?: number;
  /** How long a reader without work is kept; by default for ever. */
  readonly idleSeconds?: number;
}

/** The pool takes no more documents now: too many wait, or the service is stopping. */
export class ReadingUnavailable extends DomainError {
  readonly kind = 'unavailable';
}

interface Job<Content> {
  readonly document: FeedDocument;
  readonly resolve: (content: Content) => void;
  readonly reject: (error: Error) => void;
}

interface Reader<Content> {
  readonly place: ReadingPlace;
  job: Job<Content> | null;
  /** Ends it when it reads too long, or idles too long. */
  timer: NodeJS.Timeout | null;
}

/**
 * Reads documents outside the main thread, so that no document can hold up the answers to clients:
 * it takes processor time only from its own reader, a thread or a process, and is ended at its
 * limits. Readers start when they are first needed, stay warm, and do not keep the process alive
 * while they are idle.
 */
export abstract class ReadingPool<Content> {
  private readonly size: number;
  private readonly timeLimitSeconds: number;
  private readonly maxOldGenerationMb: number;
  private readonly maxWaiting: number;
  private readonly idleSeconds: number | null;
  private readonly readers = new Set<Reader<Content>>();
  private readonly waiting: Job<Content>[] = [];
  private closed = false;

  /** @param workerFile a module that calls `answerDocuments` */
  protected constructor(
    private readonly workerFile: URL,
    options: ReadingPoolOptions,
    private readonly openPlace: OpenPlace = openThread,
  ) {
    this.size = options.size ?? Math.max(1, availableParallelism() - 1);
    this.timeLimitSeconds = options.timeLimitSeconds ?? 10;
    this.maxOldGenerationMb = options.maxOldGenerationMb ?? 512;
    this.maxWaiting = options.maxWaiting ?? 1_000;
    this.idleSeconds = options.idleSeconds ?? null;
  }

  /**
   * Reads one document.
   *
   * @throws UnreadableDocument when it holds nothing of its kind, takes too long or too much memory
   * @throws ReadingUnavailable when too many documents wait, or after `close`
   */
  async read(document: FeedDocument): Promise<Content> {
    if (this.closed) throw new ReadingUnavailable('The service is stopping.');
    if (this.waiting.length >= this.maxWaiting) {
      throw new ReadingUnavailable('Too many documents are being read; try again later.');
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ document, resolve, reject });
      this.assign();
    });
  }

  /** Ends all readers. Documents being read or waiting are given up. */
  async close(): Promise<void> {
    this.closed = true;
    const stopping = new ReadingUnavailable('The service is stopping.');
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

  private start(): Reader<Content> {
    const reader: Reader<Content> = {
      place: this.openPlace<Content>(this.workerFile, this.maxOldGenerationMb, {
        answered: (result) => this.finish(reader, result),
        ended: (outOfMemory, cause) => void this.end(reader, this.deathOf(outOfMemory, cause)),
      }),
      job: null,
      timer: null,
    };
    this.readers.add(reader);
    return reader;
  }

  private give(reader: Reader<Content>, job: Job<Content>): void {
    this.release(reader);
    reader.job = job;
    reader.place.keepAlive(true);
    reader.timer = setTimeout(() => {
      const limit = this.timeLimitSeconds;
      void this.end(
        reader,
        new UnreadableDocument(`The document took longer than ${limit} s to read.`),
      );
    }, this.timeLimitSeconds * 1000);
    // A copy of its own: a view into a larger buffer would take all of that buffer along.
    const bytes = Uint8Array.from(job.document.bytes);
    reader.place.send({ ...job.document, bytes });
  }

  private finish(reader: Reader<Content>, result: ReadingResult<Content>): void {
    const job = this.release(reader);
    if (!job) return;
    if (result.kind === 'read') job.resolve(result.content);
    else if (result.kind === 'unreadable') job.reject(new UnreadableDocument(result.message));
    else job.reject(new Error(`Reading a document failed: ${result.message}`));
    reader.place.keepAlive(false);
    if (this.idleSeconds !== null) {
      const idle = new ReadingUnavailable('The reader was idle.');
      reader.timer = setTimeout(() => void this.end(reader, idle), this.idleSeconds * 1000);
      reader.timer.unref();
    }
    this.assign();
  }

  /** Takes a reader out of the pool for good; a new one starts when it is needed. */
  private async end(reader: Reader<Content>, reason: Error): Promise<void> {
    if (!this.readers.delete(reader)) return;
    this.release(reader)?.reject(reason);
    await reader.place.end();
    if (!this.closed) this.assign();
  }

  private release(reader: Reader<Content>): Job<Content> | null {
    const { job } = reader;
    reader.job = null;
    if (reader.timer) clearTimeout(reader.timer);
    reader.timer = null;
    return job;
  }

  private deathOf(outOfMemory: boolean, cause: unknown): UnreadableDocument {
    const why = outOfMemory
      ? `The document takes more than ${this.maxOldGenerationMb} MB of memory to read.`
      : 'The document could not be read: reading it broke off.';
    return new UnreadableDocument(why, { cause });
  }
}
