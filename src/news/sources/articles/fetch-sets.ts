import { DatabaseUnavailable } from '../../../database/database-unavailable.js';
import type { EndedFetch } from './fetch-record.sql.js';

/** Limit of one statement. */
const MOST_IN_SET = 100;

/** Time for which the first fetch of a set waits for others. */
const GATHER_MS = 25;

/** Running at the same time; each is short, since a set waits for no lock. */
const MOST_STATEMENTS = 2;

/** Whether a result is written as soon as possible, or waits a moment for others. */
export type Haste = 'now' | 'gathered';

/** @returns tokens of the leases that were valid and whose source was not locked */
type WriteSet = (fetches: readonly EndedFetch[]) => Promise<ReadonlySet<string>>;

interface Waiting {
  readonly fetch: EndedFetch;
  readonly resolve: (isWritten: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes fetches that brought no articles in sets, one statement each. Fetches that end while statements
 * are running form the next set. Fetches that a set skips, because the source is locked or a value is
 * refused, are written separately.
 */
export class FetchSets {
  #waiting: Waiting[] = [];
  #statements = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param writeAlone waits for locks */
  constructor(
    private readonly writeSet: WriteSet,
    private readonly writeAlone: (fetch: EndedFetch) => Promise<boolean>,
  ) {}

  /**
   * @returns false when the lease is lost; then nothing was written
   * @throws DatabaseUnavailable or the error of the statement with this fetch alone
   */
  write(fetch: EndedFetch, haste: Haste): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ fetch, resolve, reject });
      if (haste === 'now' || this.#waiting.length >= MOST_IN_SET) {
        this.#begin();
      } else {
        this.#timer ??= setTimeout(() => this.#begin(), GATHER_MS);
      }
    });
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#statements === MOST_STATEMENTS || this.#waiting.length === 0) {
      return;
    }
    const set = this.#waiting.splice(0, MOST_IN_SET);
    this.#statements += 1;
    void this.#write(set).finally(() => {
      this.#statements -= 1;
      this.#begin();
    });
  }

  async #write(set: readonly Waiting[]): Promise<void> {
    try {
      const written = await this.writeSet(set.map(({ fetch }) => fetch));
      for (const waiting of set) {
        if (written.has(waiting.fetch.lease.token)) {
          waiting.resolve(true);
        } else {
          this.#writeAlone(waiting);
        }
      }
    } catch (error) {
      for (const waiting of set) {
        if (error instanceof DatabaseUnavailable) {
          waiting.reject(error);
        } else {
          this.#writeAlone(waiting);
        }
      }
    }
  }

  #writeAlone({ fetch, resolve, reject }: Waiting): void {
    this.writeAlone(fetch).then(resolve, reject);
  }
}
