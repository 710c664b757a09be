import { Injectable, Logger } from '@nestjs/common';

/** One fetch that ended, as far as the network is concerned. */
export interface NetworkSign {
  readonly sourceId: number;
  readonly hostKey: string;
  /** Whether the server was reached; what it answered does not matter. */
  readonly reached: boolean;
}

export type NetworkVerdict =
  | { readonly is: 'fine' }
  /** `forgiven` are other sources whose latest failures just turned out not to be theirs. */
  | { readonly is: 'outage'; readonly forgiven: readonly number[] };

const WINDOW_MS = 60_000;
/** Fewer say nothing about the network as a whole. */
const FEWEST_SIGNS = 8;
const FEWEST_HOSTS = 4;

/**
 * Tells whether publishers are down or we are. When most of the latest fetches, to several hosts,
 * reached nobody, the fault is taken to be on this side until most of them reach somebody again.
 */
@Injectable()
export class OutageWatch {
  readonly #logger = new Logger('Network');
  #signs: (NetworkSign & { readonly atMs: number })[] = [];
  #outage = false;

  get isOutage(): boolean {
    return this.#outage;
  }

  /** @param nowMs of a clock that never steps */
  note(sign: NetworkSign, nowMs: number = performance.now()): NetworkVerdict {
    this.#signs = [...this.#signs, { ...sign, atMs: nowMs }].filter(
      ({ atMs }) => atMs > nowMs - WINDOW_MS,
    );
    const failed = this.#signs.filter(({ reached }) => !reached);
    if (this.#outage) {
      return this.#lookForRecovery(sign);
    }
    const hosts = new Set(failed.map(({ hostKey }) => hostKey));
    const isOutage =
      this.#signs.length >= FEWEST_SIGNS &&
      hosts.size >= FEWEST_HOSTS &&
      failed.length * 2 > this.#signs.length;
    if (!isOutage) {
      return { is: 'fine' };
    }
    this.#outage = true;
    this.#logger.warn(
      `${failed.length} of ${this.#signs.length} fetches of the last minute reached nobody: ` +
        'the network of this machine seems to be down. Feeds are not blamed and tried again soon.',
    );
    const forgiven = new Set(failed.map(({ sourceId }) => sourceId));
    forgiven.delete(sign.sourceId);
    return { is: 'outage', forgiven: [...forgiven] };
  }

  #lookForRecovery(sign: NetworkSign): NetworkVerdict {
    if (!sign.reached) {
      return { is: 'outage', forgiven: [] };
    }
    // Old failures must not outvote the first answers for a minute.
    this.#signs = this.#signs.slice(-FEWEST_HOSTS);
    const unreached = this.#signs.filter(({ reached }) => !reached).length;
    if (unreached * 2 <= this.#signs.length) {
      this.#outage = false;
      this.#signs = [];
      this.#logger.log('publishers can be reached again');
    }
    return { is: 'fine' };
  }
}
