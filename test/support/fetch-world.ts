import { NetworkOutageDetector } from '../../src/news/sources/refreshing/network-outage-detector.service.js';
import {
  FetchShares,
  sharesOf,
  type FetchLane,
} from '../../src/news/sources/schedule/fetch-shares.js';
import { nextUpdateIn } from '../../src/news/sources/schedule/next-update.js';
import type { Random } from './histories/random.js';

/** How a host behaves. Refusing and vanishing ones fail at once, hanging ones after the time limit. */
export type HostKind = 'healthy' | 'hanging' | 'refusing' | 'vanishing' | 'slow';

export interface WorldSource {
  readonly id: number;
  readonly kind: HostKind;
  readonly followedBy: readonly number[];
  lane: FetchLane;
  errors: number;
  fetches: number;
  fetchedAt: number | null;
  dueAt: number;
  /** Longest time without a fetch that ended, in seconds. */
  longestGap: number;
}

interface Running {
  readonly source: WorldSource;
  readonly lane: FetchLane;
  readonly endsAt: number;
  readonly isLost: boolean;
}

/** Seconds between fetches of a healthy source. */
export const INTERVAL = 900;
const TIME_LIMIT = 30;
const SECONDS_OF: Readonly<Record<HostKind, number>> = {
  healthy: 0.2,
  hanging: TIME_LIMIT,
  refusing: 0.01,
  vanishing: 0.1,
  slow: 20,
};

/**
 * The schedule of one process in a time of its own, in steps of a second: the shares, the detector and the waits
 * are the real ones, the rest is as plain as possible.
 */
export class FetchWorld {
  readonly sources: WorldSource[] = [];
  readonly detector = new NetworkOutageDetector();
  now = 0;
  isNetworkDown = false;
  /** Outages that were seen. */
  outages = 0;
  readonly #running = new Set<Running>();
  readonly #becomesDue = new Map<number, WorldSource[]>();
  /** In the order in which they became due. */
  readonly #due = new Set<WorldSource>();
  #hasChanged = false;

  constructor(
    private readonly random: Random,
    private readonly mostFetches: number,
  ) {}

  add(kind: HostKind, followedBy: readonly number[], dueAt: number): void {
    const isKnown = kind === 'healthy';
    const source: WorldSource = {
      id: this.sources.length + 1,
      kind,
      followedBy,
      lane: isKnown ? 'quick' : 'slow',
      errors: 0,
      fetches: 0,
      fetchedAt: isKnown ? 0 : null,
      dueAt: 0,
      longestGap: 0,
    };
    this.sources.push(source);
    this.#plan(source, dueAt);
  }

  pass(seconds: number): void {
    for (const end = this.now + seconds; this.now < end; this.now += 1) {
      [...this.#running].forEach((fetch) => fetch.endsAt <= this.now && this.#finish(fetch));
      for (const source of this.#becomesDue.get(this.now) ?? []) {
        if (source.dueAt === this.now) {
          this.#due.add(source);
          this.#hasChanged = true;
        }
      }
      this.#becomesDue.delete(this.now);
      if (this.#hasChanged) {
        this.#claim();
      }
    }
  }

  #plan(source: WorldSource, at: number): void {
    source.dueAt = Math.max(this.now + 1, Math.round(at));
    const others = this.#becomesDue.get(source.dueAt) ?? [];
    this.#becomesDue.set(source.dueAt, [...others, source]);
  }

  #claim(): void {
    this.#hasChanged = false;
    const shares = new FetchShares(
      sharesOf(this.mostFetches, this.detector.isOutage),
      this.#running,
    );
    let open = shares.open;
    for (const source of this.#due) {
      if (this.#running.size >= this.mostFetches) {
        return;
      }
      const { lane, followedBy, kind } = source;
      // As the statement does that selects what is due.
      const isOpen =
        open === null ||
        (open.lanes.includes(lane) &&
          !followedBy.every((id) => open?.full.includes(id)) &&
          (lane === 'quick' || !followedBy.every((id) => open?.crowded.includes(id))));
      if (isOpen && shares.admit({ lane, source })) {
        const endsAt = this.now + (this.isNetworkDown ? 5 : SECONDS_OF[kind]);
        this.#due.delete(source);
        this.#running.add({ source, lane, endsAt, isLost: this.isNetworkDown });
      }
      open = isOpen ? shares.open : open;
    }
  }

  #finish(fetch: Running): void {
    this.#running.delete(fetch);
    this.#hasChanged = true;
    const { source, isLost } = fetch;
    const { id, kind, followedBy, errors } = source;
    const answeredLately = errors === 0 && source.fetchedAt !== null;
    const outcome =
      !isLost && (kind === 'healthy' || kind === 'slow')
        ? 'reached'
        : !isLost && kind === 'hanging'
          ? 'silent'
          : 'unreached';
    source.fetches += 1;
    source.longestGap = Math.max(source.longestGap, this.now - (source.fetchedAt ?? this.now));
    const sign = { sourceId: id, hostKey: `host-${id}.example`, followedBy, answeredLately };
    const wasOutage = this.detector.isOutage;
    const verdict = this.detector.note({ ...sign, outcome }, this.now * 1000);
    if (verdict.is === 'outage') {
      this.outages += wasOutage ? 0 : 1;
      source.lane = 'held';
      this.#plan(source, this.now + 20 + 40 * this.random.next());
      verdict.forgiven.forEach((sourceId) => this.#forgive(sourceId));
      return;
    }
    verdict.witnesses.forEach((sourceId) => this.#hasten(sourceId, 0));
    source.fetchedAt = this.now;
    source.errors = outcome === 'reached' ? 0 : errors + 1;
    source.lane = outcome === 'reached' && kind !== 'slow' ? 'quick' : 'slow';
    this.#plan(source, this.now + this.#wait(source.errors));
  }

  #wait(errorCount: number): number {
    return errorCount === 0
      ? INTERVAL
      : nextUpdateIn({
          nowSeconds: this.now,
          outcome: { failed: 'network', retryAfterSeconds: null },
          errorCount,
          recentPubDatesSeconds: [],
          caching: null,
          hints: null,
          minIntervalSeconds: INTERVAL,
          maxIntervalSeconds: INTERVAL,
          sleepyMaxSeconds: 86_400,
          jitter: this.random.next(),
        }).waitSeconds;
  }

  #forgive(sourceId: number): void {
    const source = this.sources[sourceId - 1];
    if (source !== undefined && source.errors > 0) {
      source.errors -= 1;
      this.#hasten(sourceId, 60 * this.random.next());
    }
  }

  #hasten(sourceId: number, seconds: number): void {
    const source = this.sources[sourceId - 1];
    if (source !== undefined && source.dueAt > this.now + seconds) {
      this.#plan(source, this.now + seconds);
    }
  }
}
