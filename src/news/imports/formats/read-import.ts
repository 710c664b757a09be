import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { startLimitedThread } from '../../../common/limited-thread.js';
import type { ImportedRow } from '../imported-row.js';
import { UnreadableImport, type FormatName } from './found-row.js';
import type { ImportLimits, ImportSummary } from './parse-import.js';
import type { ImportAnswer } from './read-import.worker.js';

/** The compiled worker for compiled code, otherwise its TypeScript source. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts')
    ? './read-import.worker.from-source.mjs'
    : './read-import.worker.js',
  import.meta.url,
);

const HEAP_MB = 128;
const YOUNG_GENERATION_MB = 16;
/** Of two readings of a file and the way to its first rows. */
const LONGEST_WAIT_MS = 120_000;

export interface ImportReading {
  readonly format: FormatName;
  /**
   * Batches of at most 200 rows, in the order of the file. Read them once, to the end or until they throw.
   *
   * @throws UnreadableImport for a file with too many rows: none of them counts then
   */
  readonly rows: AsyncIterable<readonly ImportedRow[]>;
  /** Complete when the rows have ended. */
  summary(): ImportSummary;
  /** Ends the reading; needed only where the rows are not read. */
  close(): Promise<void>;
}

/**
 * Reads a file on disk that a person brings from another program, recognised by its content, in a thread of its
 * own. OPML has no rows and is in the summary; the zip of a Gatefold has neither.
 *
 * @throws UnreadableImport for a file of no known program, with a sentence
 */
export async function readImport(file: string, limits: ImportLimits): Promise<ImportReading> {
  const thread = new ImportThread(file, limits);
  const first = await thread.next();
  if (first.kind !== 'rows') {
    throw new Error('A reading that has not begun has ended.');
  }
  let summary: ImportSummary = {
    leftOut: { reasons: [], places: [] },
    feeds: [],
    opml: [],
  };
  async function* rows(): AsyncGenerator<readonly ImportedRow[]> {
    try {
      let answer = first as ImportAnswer;
      while (answer.kind === 'rows') {
        if (answer.rows.length > 0) {
          yield answer.rows;
        }
        answer = await thread.next();
      }
      summary = answer.kind === 'end' ? answer.summary : summary;
    } finally {
      await thread.end();
    }
  }
  return {
    format: first.format,
    rows: rows(),
    summary: () => summary,
    close: () => thread.end(),
  };
}

/** One thread for one file: a file that takes too much memory or time ends it, and nothing else. */
class ImportThread {
  readonly #worker: Worker;
  #hasEnded = false;

  constructor(file: string, limits: ImportLimits) {
    this.#worker = startLimitedThread(WORKER, {
      workerData: { file, limits },
      resourceLimits: {
        maxOldGenerationSizeMb: HEAP_MB,
        maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      },
    });
    // Reported where an answer is awaited.
    this.#worker.on('error', () => {});
    this.#worker.on('exit', () => (this.#hasEnded = true));
  }

  /** @throws UnreadableImport */
  async next(): Promise<Extract<ImportAnswer, { kind: 'rows' | 'end' }>> {
    const answer = await this.#answer().catch(async (error: unknown) => {
      await this.end();
      throw error;
    });
    if (answer.kind === 'rows' || answer.kind === 'end') {
      return answer;
    }
    await this.end();
    throw answer.kind === 'unreadable'
      ? new UnreadableImport(answer.message)
      : new Error(`Reading an import failed: ${answer.message}`);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  async #answer(): Promise<ImportAnswer> {
    if (this.#hasEnded) {
      throw new UnreadableImport('Reading the file was stopped.');
    }
    const waiting = new AbortController();
    const signal = AbortSignal.any([waiting.signal, AbortSignal.timeout(LONGEST_WAIT_MS)]);
    try {
      const answered = once(this.#worker, 'message', { signal });
      const ended = once(this.#worker, 'exit', { signal });
      this.#worker.postMessage('next', []);
      const [answer] = await Promise.race([answered, ended]);
      return typeof answer === 'object'
        ? (answer as ImportAnswer)
        : { kind: 'unreadable', message: 'Reading the file broke off.' };
    } catch (cause) {
      const isOfMemory =
        cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
      throw new UnreadableImport(
        isOfMemory
          ? 'The file takes too much memory to read.'
          : 'The file takes too long to read, or reading it broke off.',
        { cause },
      );
    } finally {
      waiting.abort();
    }
  }
}
