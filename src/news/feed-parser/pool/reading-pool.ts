import { availableParallelism } from 'node:os';
import { DomainError } from '../../../common/errors/domain-error.js';
import type { FeedDocument } from '../parsed-feed.js';
import type { ReadingResult } from './answer-documents.js';
import { openThread, type OpenPlace, type ReadingPlace } from './reading-place.js';
import { isSmall, ReadingQueue } from './reading-queue.js';
import { UnreadableDocument } from '../unreadable-document.js';

export interface ReadingPoolOptions {
  /**
   * Documents read at the same time; by default one core is left to the service, but there are two
   * readers at least. Large documents never take the last of several readers.
   */
  readonly size?: number;
  /** Processor time that one document may take, default 10; a small one may take 0.3 of it. */
  readonly processorLimitSeconds?: number;
  /** How long one document may take on a machine that is busy with other things, default 120. */
  readonly wallLimitSeconds?: number;
  /** Memory one document may take, in MiB; beyond it its reader ends and the service goes on. */
  readonly maxOldGenerationMb?: number;
  /** Documents that may wait for a reader. */
  readonly maxWaiting?: number;
  /** How long a reader without work is kept; by default for ever. */
  readonly idleSeconds?: number;
}

/** A small document that takes more than this share of the limit was written to be slow. */
const SHARE_OF_SMALL = 0.3;

/** How often it is looked whether a document has used up its time. */
const CHECK_MS = 250;

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
  /** Ends it when it reads too long by the clock, or idles too long. */
  timer: NodeJS.Timeout | null;
  /** Looks at its processor time while it reads. */
  check: NodeJS.Timeout | null;
}

/**
 * Reads documents outside the main thread, so that no document can hold up the answers to clients:
 * it takes processor time only from its own reader, a thread or a process, and is ended at its
 * limits. Readers start when they are first needed, stay warm, and do not keep the process alive
 * while they are idle.
 */
export abstract class ReadingPool<Content> {
  readonly #size: number;
  readonly #processorLimitSeconds: number;
  readonly #wallLimitSeconds: number;
  readonly #maxOldGenerationMb: number;
  readonly #maxWaiting: number;
  readonly #idleSeconds: number | null;
  readonly #readers = new Set<Reader<Content>>();
  readonly #waiting = new ReadingQueue<Job<Content>>();
  #closed = false;

  /** @param workerFile a module that calls `answerDocuments` */
  protected constructor(
    private readonly workerFile: URL,
    options: ReadingPoolOptions,
    private readonly openPlace: OpenPlace = openThread,
  ) {
    this.#size = options.size ?? Math.max(2, availableParallelism() - 1);
    this.#processorLimitSeconds = options.processorLimitSeconds ?? 10;
    this.#wallLimitSeconds = options.wallLimitSeconds ?? 120;
    this.#maxOldGenerationMb = options.maxOldGenerationMb ?? 512;
    this.#maxWaiting = options.maxWaiting ?? 1_000;
    this.#idleSeconds = options.idleSeconds ?? null;
  }

  /**
   * Reads one document.
   *
   * @throws UnreadableDocument when it holds nothing of its kind, takes too long or too much memory
   * @throws ReadingUnavailable when too many documents wait, or after `close`
   */
  async read(document: FeedDocument): Promise<Content> {
    if (this.#closed) {
      throw new ReadingUnavailable('The service is stopping.');
    }
    if (this.#waiting.length >= this.#maxWaiting) {
      throw new ReadingUnavailable('Too many documents are being read; try again later.');
    }
    return new Promise((resolve, reject) => {
      this.#waiting.add({ document, resolve, reject });
      this.#assign();
    });
  }

  /** Ends all readers. Documents being read or waiting are given up. */
  async close(): Promise<void> {
    this.#closed = true;
    const stopping = new ReadingUnavailable('The service is stopping.');
    for (const job of this.#waiting.clear()) {
      job.reject(stopping);
    }
    await Promise.all([...this.#readers].map((reader) => this.#end(reader, stopping)));
  }

  #assign(): void {
    while (this.#waiting.length > 0) {
      const idle = [...this.#readers].find(({ job }) => job === null);
      if (!idle && this.#readers.size >= this.#size) {
        return;
      }
      const job = this.#waiting.next(this.#takesLarge());
      if (!job) {
        return;
      }
      this.#give(idle ?? this.#start(), job);
    }
  }

  /** One of several readers is always left to small documents. */
  #takesLarge(): boolean {
    const large = [...this.#readers].filter(({ job }) => job && !isSmall(job.document));
    return large.length < Math.max(1, this.#size - 1);
  }

  #start(): Reader<Content> {
    const reader: Reader<Content> = {
      place: this.openPlace<Content>(this.workerFile, this.#maxOldGenerationMb, {
        answered: (result) => this.#finish(reader, result),
        ended: (outOfMemory, cause) => void this.#end(reader, this.#deathOf(outOfMemory, cause)),
      }),
      job: null,
      timer: null,
      check: null,
    };
    this.#readers.add(reader);
    return reader;
  }

  #give(reader: Reader<Content>, job: Job<Content>): void {
    this.#release(reader);
    reader.job = job;
    reader.place.keepAlive(true);
    const limit = this.#wallLimitSeconds;
    reader.timer = setTimeout(() => {
      const slow = new UnreadableDocument(`The document took longer than ${limit} s to read.`);
      void this.#end(reader, slow);
    }, limit * 1000);
    void this.#watch(reader, job);
    // A copy of its own: a view into a larger buffer would take all of that buffer along.
    const bytes = Uint8Array.from(job.document.bytes);
    reader.place.send({ ...job.document, bytes });
  }

  /** Ends a reader whose document takes more processor time than it may. */
  async #watch(reader: Reader<Content>, job: Job<Content>): Promise<void> {
    const limit = this.#processorLimitSeconds * (isSmall(job.document) ? SHARE_OF_SMALL : 1);
    const before = await reader.place.processorMs();
    const check = async (): Promise<void> => {
      const used = (await reader.place.processorMs()) - before;
      if (reader.job !== job) {
        return;
      }
      if (used > limit * 1000) {
        const why = `The document takes more than ${limit} s of processor time to read.`;
        await this.#end(reader, new UnreadableDocument(why));
        return;
      }
      reader.check = setTimeout(() => void check(), CHECK_MS);
    };
    if (reader.job === job) {
      reader.check = setTimeout(() => void check(), CHECK_MS);
    }
  }

  #finish(reader: Reader<Content>, result: ReadingResult<Content>): void {
    const job = this.#release(reader);
    if (!job) {
      return;
    }
    if (result.kind === 'read') {
      job.resolve(result.content);
    } else if (result.kind === 'unreadable') {
      job.reject(new UnreadableDocument(result.message));
    } else {
      job.reject(new Error(`Reading a document failed: ${result.message}`));
    }
    reader.place.keepAlive(false);
    if (this.#idleSeconds !== null) {
      const idle = new ReadingUnavailable('The reader was idle.');
      reader.timer = setTimeout(() => void this.#end(reader, idle), this.#idleSeconds * 1000);
      reader.timer.unref();
    }
    this.#assign();
  }

  /** Takes a reader out of the pool for good; a new one starts when it is needed. */
  async #end(reader: Reader<Content>, reason: Error): Promise<void> {
    if (!this.#readers.delete(reader)) {
      return;
    }
    this.#release(reader)?.reject(reason);
    await reader.place.end();
    if (!this.#closed) {
      this.#assign();
    }
  }

  #release(reader: Reader<Content>): Job<Content> | null {
    const { job } = reader;
    reader.job = null;
    if (reader.timer) {
      clearTimeout(reader.timer);
    }
    reader.timer = null;
    if (reader.check) {
      clearTimeout(reader.check);
    }
    reader.check = null;
    return job;
  }

  #deathOf(outOfMemory: boolean, cause: unknown): UnreadableDocument {
    const why = outOfMemory
      ? `The document takes more than ${this.#maxOldGenerationMb} MB of memory to read.`
      : 'The document could not be read: reading it broke off.';
    return new UnreadableDocument(why, { cause });
  }
}
