import { Injectable, Logger } from '@nestjs/common';

/** Whether one fetch reached its server. */
interface NetworkSign {
  readonly sourceId: number;
  readonly hostKey: string;
  /** Any response counts. */
  readonly reached: boolean;
}

type NetworkVerdict =
  | { readonly is: 'fine' }
  /** `forgiven`: other sources whose latest failures were caused by the outage that just began. */
  | { readonly is: 'outage'; readonly forgiven: readonly number[] };

const WINDOW_MS = 60_000;
/** Fewer fetches do not show whether the network is down. */
const FEWEST_SIGNS = 8;
const FEWEST_HOSTS = 4;

/**
 * Distinguishes an outage of our own network from publishers that are down. An outage begins when
 * most fetches of the last minute, to several hosts, reached no server, and ends when most reach one.
 */
@Injectable()
export class NetworkOutageDetector {
  readonly #logger = new Logger('Network');
  #signs: (NetworkSign & { readonly atMs: number })[] = [];
  #outage = false;

  get isOutage(): boolean {
    return this.#outage;
  }

  /** @param nowMs of a monotonic clock */
  note(sign: NetworkSign, nowMs: number = performance.now()): NetworkVerdict {
    this.#signs = [...this.#signs, { ...sign, atMs: nowMs }].filter(
      ({ atMs }) => atMs > nowMs - WINDOW_MS,
    );
    const failed = this.#signs.filter(({ reached }) => !reached);
    if (this.#outage) {
      return this.#checkRecovery(sign);
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
      `${failed.length} of ${this.#signs.length} fetches of the last minute reached no server: ` +
        'the network seems to be down. Not counted as feed errors; retrying shortly.',
    );
    const forgiven = new Set(failed.map(({ sourceId }) => sourceId));
    forgiven.delete(sign.sourceId);
    return { is: 'outage', forgiven: [...forgiven] };
  }

  #checkRecovery(sign: NetworkSign): NetworkVerdict {
    if (!sign.reached) {
      return { is: 'outage', forgiven: [] };
    }
    // Only the latest signs count, so that old failures do not delay the recovery for a minute.
    this.#signs = this.#signs.slice(-FEWEST_HOSTS);
    const unreached = this.#signs.filter(({ reached }) => !reached).length;
    if (unreached * 2 <= this.#signs.length) {
      this.#outage = false;
      this.#signs = [];
      this.#logger.log('The network is up again.');
    }
    return { is: 'fine' };
  }
}
