import { availableParallelism } from 'node:os';
import { unavailable } from '../../../common/errors/domain-error.js';
import { memoryBytes } from '../../../common/memory-limit.js';
import { type FeedDocument, type ParsedFeed, UnreadableDocument } from '../parsed-feed.js';
import type { ReadingResult } from './answer-documents.js';
import { openThread, type OpenReader, type ReaderHandle } from './reader-handle.js';

export interface ReadingPoolOptions {
  /**
   * Readers; default: `readersFor` this machine. Large documents never take the last of several readers.
   */
  readonly size?: number;
  /** Processor time per document, default 10; small documents get 0.3 of it. */
  readonly processorLimitSeconds?: number;
  /** Elapsed time per document, for loaded machines; default 120. */
  readonly wallLimitSeconds?: number;
  /** Heap limit per reader in MiB, default 512; a reader beyond it is replaced. */
  readonly maxOldGenerationMb?: number;
  /** Longest queue, default 1,000. */
  readonly maxWaiting?: number;
  /** Idle time after which a reader ends; default: never. */
  readonly idleSeconds?: number;
}

/** A small document that needs more than this share of the limit is malicious. */
const SHARE_OF_SMALL = 0.3;

/** How often the processor time of a reader is polled. */
const CHECK_MS = 250;

/** Memory of a reader that is warm. */
const READER_BYTES = 60 * 1024 ** 2;

/** Share of the memory that all readers together may have. */
const SHARE_OF_MEMORY = 1 / 8;

/** Below it there is one reader. */
const LEAST_FOR_TWO_BYTES = 400 * 1024 ** 2;

/** All cores but one, unless the memory suffices for fewer; at least two, where there is memory for them. */
export function readersFor(cores: number, memory: number): number {
  const fitting = Math.floor((memory * SHARE_OF_MEMORY) / READER_BYTES);
  return Math.max(memory < LEAST_FOR_TWO_BYTES ? 1 : 2, Math.min(cores - 1, fitting));
}

/** The queue is full or the service is stopping; retry later. */
export class ReadingUnavailable extends unavailable() {}

interface Job<Content> {
  readonly document: FeedDocument;
  readonly resolve: (content: Content) => void;
  readonly reject: (error: Error) => void;
}

interface Reader<Content> {
  readonly handle: ReaderHandle;
  job: Job<Content> | null;
  /** Fires when the document exceeds its elapsed time, or the reader its idle time. */
  timer: NodeJS.Timeout | null;
  /** Next poll of its processor time. */
  check: NodeJS.Timeout | null;
}

/**
 * Reads documents outside the main thread, so that no document delays responses to clients. A reader
 * (thread or process) that exceeds its limits is killed and replaced. Readers start on demand, stay
 * warm, and do not keep the process alive while idle.
 */
export abstract class ReadingPool<Content> {
  readonly #limits: Required<ReadingPoolOptions>;
  readonly #readers = new Set<Reader<Content>>();
  readonly #waiting = new ReadingQueue<Job<Content>>();
  #closed = false;

  /** @param workerFile a module that calls `answerDocuments` */
  protected constructor(
    private readonly workerFile: URL,
    options: ReadingPoolOptions,
    private readonly openReader: OpenReader = openThread,
  ) {
    this.#limits = {
      size: readersFor(availableParallelism(), memoryBytes()),
      processorLimitSeconds: 10,
      wallLimitSeconds: 120,
      maxOldGenerationMb: 512,
      maxWaiting: 1_000,
      idleSeconds: Infinity,
      ...options,
    };
  }

  /**
   * Reads one document.
   *
   * @throws UnreadableDocument when nothing in it can be read, or it exceeds a limit
   * @throws ReadingUnavailable when the queue is full, or after `close`
   */
  async read(document: FeedDocument): Promise<Content> {
    if (this.#closed) {
      throw new ReadingUnavailable('The service is stopping.');
    }
    if (this.#waiting.length >= this.#limits.maxWaiting) {
      throw new ReadingUnavailable('Too many documents are being read; try again later.');
    }
    return new Promise((resolve, reject) => {
      this.#waiting.add({ document, resolve, reject });
      this.#assign();
    });
  }

  /** Ends all readers. Pending documents are rejected with `ReadingUnavailable`. */
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
      if (!idle && this.#readers.size >= this.#limits.size) {
        return;
      }
      const job = this.#waiting.next(this.#takesLarge());
      if (!job) {
        return;
      }
      this.#give(idle ?? this.#start(), job);
    }
  }

  /** One of several readers is reserved for small documents. */
  #takesLarge(): boolean {
    const large = [...this.#readers].filter(({ job }) => job && !isSmall(job.document));
    return large.length < Math.max(1, this.#limits.size - 1);
  }

  #start(): Reader<Content> {
    const reader: Reader<Content> = {
      handle: this.openReader<Content>(this.workerFile, this.#limits.maxOldGenerationMb, {
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
    reader.handle.keepAlive(true);
    const limit = this.#limits.wallLimitSeconds;
    reader.timer = setTimeout(() => {
      const slow = new UnreadableDocument(`The document took longer than ${limit} s to read.`);
      void this.#end(reader, slow);
    }, limit * 1000);
    void this.#watch(reader, job);
    // A copy, since a view would transfer its whole underlying buffer.
    const bytes = new Uint8Array(job.document.bytes);
    reader.handle.send({ ...job.document, bytes });
  }

  /** Kills the reader when its document exceeds the processor time limit. */
  async #watch(reader: Reader<Content>, job: Job<Content>): Promise<void> {
    const limit = this.#limits.processorLimitSeconds * (isSmall(job.document) ? SHARE_OF_SMALL : 1);
    const before = await reader.handle.processorMs();
    const check = async (): Promise<void> => {
      const used = (await reader.handle.processorMs()) - before;
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
    reader.handle.keepAlive(false);
    if (Number.isFinite(this.#limits.idleSeconds)) {
      const idle = new ReadingUnavailable('The reader was idle.');
      reader.timer = setTimeout(
        () => void this.#end(reader, idle),
        this.#limits.idleSeconds * 1000,
      );
      reader.timer.unref();
    }
    this.#assign();
  }

  /** Removes a reader from the pool; a new one starts on demand. */
  async #end(reader: Reader<Content>, reason: Error): Promise<void> {
    if (!this.#readers.delete(reader)) {
      return;
    }
    this.#release(reader)?.reject(reason);
    await reader.handle.end();
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
      ? `The document takes more than ${this.#limits.maxOldGenerationMb} MB of memory to read.`
      : 'The document could not be read: reading it broke off.';
    return new UnreadableDocument(why, { cause });
  }
}

/** Nearly all feeds are smaller. */
const SMALL_BYTES = 512 * 1024;

/** Small documents that may overtake a waiting large one in a row. */
const MOST_PASSING = 20;

/** Whether reading a document takes milliseconds, unless it is malicious. */
export function isSmall({ bytes }: FeedDocument): boolean {
  return bytes.length <= SMALL_BYTES;
}

/** Queue of documents. Small ones overtake large ones, but not indefinitely. */
export class ReadingQueue<Job extends { readonly document: FeedDocument }> {
  readonly #small: Job[] = [];
  readonly #large: Job[] = [];
  #passing = 0;

  get length(): number {
    return this.#small.length + this.#large.length;
  }

  add(job: Job): void {
    (isSmall(job.document) ? this.#small : this.#large).push(job);
  }

  /** @param takesLarge whether a reader is available for a large document */
  next(takesLarge: boolean): Job | null {
    const largeWaits = takesLarge && this.#large.length > 0;
    if (this.#small.length === 0 || (largeWaits && this.#passing >= MOST_PASSING)) {
      this.#passing = 0;
      return takesLarge ? (this.#large.shift() ?? null) : null;
    }
    this.#passing += largeWaits ? 1 : 0;
    return this.#small.shift() ?? null;
  }

  clear(): Job[] {
    return [...this.#small.splice(0), ...this.#large.splice(0)];
  }
}

/** The compiled worker for compiled code, otherwise its TypeScript source. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './read-feed.worker.from-source.mjs' : './read-feed.worker.js',
  import.meta.url,
);

/** A thread holds some 60 MiB, and starts in a quarter of a second. */
const IDLE_SECONDS = 30;

/** Reads feeds of any format. */
export class FeedReadingPool extends ReadingPool<ParsedFeed> {
  constructor(options: ReadingPoolOptions = {}) {
    super(WORKER, { idleSeconds: IDLE_SECONDS, ...options });
  }
}
