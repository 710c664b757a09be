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
  /** Signs of the last minute, oldest first; entries before `#first` have expired. */
  #signs: (NetworkSign & { readonly atMs: number })[] = [];
  #first = 0;
  #failed = 0;
  #outage = false;

  get isOutage(): boolean {
    return this.#outage;
  }

  /** @param nowMs of a monotonic clock */
  note(sign: NetworkSign, nowMs: number = performance.now()): NetworkVerdict {
    this.#add(sign, nowMs);
    if (this.#outage) {
      return this.#checkRecovery(sign);
    }
    const count = this.#signs.length - this.#first;
    // Counted before they are listed, since a minute may have tens of thousands.
    const failed = this.#failed * 2 > count ? this.#recent().filter(({ reached }) => !reached) : [];
    const hosts = new Set(failed.map(({ hostKey }) => hostKey));
    if (count < FEWEST_SIGNS || hosts.size < FEWEST_HOSTS) {
      return { is: 'fine' };
    }
    this.#outage = true;
    this.#logger.warn(
      `${failed.length} of ${count} fetches of the last minute reached no server: ` +
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
    this.#keep(this.#recent().slice(-FEWEST_HOSTS));
    if (this.#failed * 2 <= this.#signs.length) {
      this.#outage = false;
      this.#keep([]);
      this.#logger.log('The network is up again.');
    }
    return { is: 'fine' };
  }

  #add(sign: NetworkSign, nowMs: number): void {
    this.#signs.push({ ...sign, atMs: nowMs });
    this.#failed += sign.reached ? 0 : 1;
    for (
      let oldest = this.#signs[this.#first];
      oldest !== undefined && oldest.atMs <= nowMs - WINDOW_MS;
      oldest = this.#signs[this.#first]
    ) {
      this.#failed -= oldest.reached ? 0 : 1;
      this.#first += 1;
    }
    // Moving the rest now and then costs less than removing each.
    if (this.#first > this.#signs.length / 2) {
      this.#keep(this.#recent());
    }
  }

  #recent(): (NetworkSign & { readonly atMs: number })[] {
    return this.#signs.slice(this.#first);
  }

  #keep(signs: (NetworkSign & { readonly atMs: number })[]): void {
    this.#signs = signs;
    this.#first = 0;
    this.#failed = signs.filter(({ reached }) => !reached).length;
  }
}
