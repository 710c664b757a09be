/** Lane of a source by its last fetch: it answered quickly, the network was down, or anything else. */
export type FetchLane = 'quick' | 'held' | 'slow';

/** Most leases of one process, waiting ones included. */
export interface SharesOfFetches {
  /** Of `quick` sources there may be as many as there is room. */
  readonly ofLane: Readonly<Record<Exclude<FetchLane, 'quick'>, number>>;
  /** Of sources that one user alone follows. */
  readonly ofFollower: number;
  /** Those that are not `quick`. */
  readonly doubtfulOfFollower: number;
}

/**
 * Shares of the concurrent fetches: sources that did not answer quickly the last time leave half of them to
 * those that did, and one user's leave some to those of others.
 */
const SHARE = { slow: 0.5, ofFollower: 0.75, doubtfulOfFollower: 0.25 };

/** Of sources that are only waiting for the end of an outage. */
const HELD_DURING_OUTAGE = 4;

/** A lease, as far as shares depend on it. */
interface Shared {
  /** Default `slow`. */
  readonly lane?: FetchLane;
  readonly source?: { readonly followedBy: readonly number[] } | undefined;
}

/** @param fetches that may run at the same time */
export function sharesOf(fetches: number, isOutage: boolean): SharesOfFetches {
  const share = (name: keyof typeof SHARE): number => Math.ceil(fetches * SHARE[name]);
  return {
    ofLane: { slow: share('slow'), held: isOutage ? HELD_DURING_OUTAGE : fetches },
    ofFollower: share('ofFollower'),
    doubtfulOfFollower: share('doubtfulOfFollower'),
  };
}

/** The sources that may be claimed. */
export interface OpenShares {
  readonly lanes: readonly FetchLane[];
  /** Followers whose own sources may not. */
  readonly full: readonly number[];
  /** Followers whose own sources may only if they are quick. */
  readonly crowded: readonly number[];
}

/**
 * Shares of the concurrent fetches, so that hosts that hang take neither all of them nor those of other users.
 * A source with several followers counts in its lane alone, since no user has it for himself.
 */
export class FetchShares {
  readonly #inLane = { quick: 0, held: 0, slow: 0 };
  readonly #ofFollower = new Map<number, { all: number; doubtful: number }>();

  constructor(
    private readonly most: SharesOfFetches,
    held: Iterable<Shared>,
  ) {
    for (const lease of held) {
      this.#add(lease);
    }
  }

  /** What a claim may look at; null if it is everything. */
  get open(): OpenShares | null {
    const lanes = (['quick', 'held', 'slow'] as const).filter((lane) => this.#hasRoom(lane));
    const followers = [...this.#ofFollower];
    const full = followers.flatMap(([id, { all }]) => (all < this.most.ofFollower ? [] : [id]));
    const crowded = followers.flatMap(([id, { doubtful }]) =>
      doubtful < this.most.doubtfulOfFollower ? [] : [id],
    );
    return lanes.length === 3 && full.length === 0 && crowded.length === 0
      ? null
      : { lanes, full, crowded };
  }

  /** Counts the source if it may be leased. */
  admit(lease: Shared): boolean {
    const { lane = 'slow', source } = lease;
    const { all, doubtful } = this.#countOf(ownerOf(source)) ?? { all: 0, doubtful: 0 };
    const isCrowded = lane !== 'quick' && doubtful >= this.most.doubtfulOfFollower;
    if (!this.#hasRoom(lane) || all >= this.most.ofFollower || isCrowded) {
      return false;
    }
    this.#add(lease);
    return true;
  }

  #hasRoom(lane: FetchLane): boolean {
    return lane === 'quick' || this.#inLane[lane] < this.most.ofLane[lane];
  }

  #add({ lane = 'slow', source }: Shared): void {
    this.#inLane[lane] += 1;
    const owner = ownerOf(source);
    if (owner !== null) {
      const { all, doubtful } = this.#countOf(owner) ?? { all: 0, doubtful: 0 };
      const more = { all: all + 1, doubtful: doubtful + (lane === 'quick' ? 0 : 1) };
      this.#ofFollower.set(owner, more);
    }
  }

  #countOf(owner: number | null) {
    return owner === null ? undefined : this.#ofFollower.get(owner);
  }
}

function ownerOf(source: Shared['source']): number | null {
  const [owner = null, ...others] = source?.followedBy ?? [];
  return others.length === 0 ? owner : null;
}
