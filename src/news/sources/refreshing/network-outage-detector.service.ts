import { Injectable, Logger } from '@nestjs/common';
import { networkOf } from './network-of.js';

/** What one fetch says about the network. */
export interface NetworkSign {
  readonly sourceId: number;
  readonly hostKey: string;
  /** Ids of followers, not necessarily all. */
  readonly followedBy: readonly number[];
  /** Whether the fetch before it succeeded. */
  readonly answeredLately: boolean;
  /** Any response is `reached`; `silent`: it was connected, and got none in time. */
  readonly outcome: 'reached' | 'unreached' | 'silent';
}

type NetworkVerdict =
  /** `witnesses`: sources whose next fetch would show whether it is an outage. */
  | { readonly is: 'fine'; readonly witnesses: readonly number[] }
  /** `forgiven`: other sources whose latest failures were caused by the outage that just began. */
  | { readonly is: 'outage'; readonly forgiven: readonly number[] };

/** The networks of a follower's sources, by their latest sign. */
interface Voter {
  /** With a source each, the latest last. */
  readonly answered: Map<string, number>;
  /** Answered before, and not any more. */
  readonly lost: Set<string>;
  atMs: number;
  /** Whether its witnesses were named since. */
  asked: boolean;
}

const FINE = { is: 'fine', witnesses: [] } as const;

/** Fewer do not show whether the network is down. */
const FEWEST_NETWORKS = 4;
/** Those with the latest signs vote. */
const MOST_VOTERS = 8;
/** A vote that is older does not count. */
const LATELY_MS = 2 * 3_600_000;
/** Failures that are further apart are not of one outage; shorter than the first wait of a failing source. */
const TOGETHER_MS = 500_000;
/** A voter is asked for new signs when the last one is older. */
const WITNESS_MS = 300_000;
/** One publisher that is down is no outage, so a voter needs two. */
const WITNESSES = 2;

/**
 * Distinguishes an outage of our own network from publishers that are down.
 *
 * Only what answered lately says something about the network: sources that are new or failing already say
 * nothing, nor does a server that accepts a connection and hangs. Followers vote, one vote each, so that
 * the sources of one of them do not decide for the others.
 *
 * @see docs/decisions/0090-no-owner-decides-about-the-network.md
 */
@Injectable()
export class NetworkOutageDetector {
  readonly #logger = new Logger('Network');
  /** By follower, the latest sign last. */
  readonly #voters = new Map<number, Voter>();
  /** Times of recent failures of sources that answered before, oldest first. */
  readonly #failures = new Map<number, number>();
  #outage = false;
  /** Networks that were lost in the current outage, and whether the latest signs of them are answers. */
  readonly #lost = new Set<string>();
  #returns: boolean[] = [];

  get isOutage(): boolean {
    return this.#outage;
  }

  /** @param nowMs of a monotonic clock */
  note(sign: NetworkSign, nowMs: number = performance.now()): NetworkVerdict {
    const { sourceId, outcome, answeredLately } = sign;
    const failed = outcome !== 'reached';
    if (failed && !answeredLately) {
      return FINE;
    }
    this.#remember(sourceId, failed, nowMs);
    if (outcome !== 'silent') {
      this.#vote(sign, nowMs);
    }
    if (this.#outage) {
      return failed ? { is: 'outage', forgiven: [] } : FINE;
    }
    return outcome === 'unreached' ? this.#judge(sourceId, nowMs) : FINE;
  }

  #judge(sourceId: number, nowMs: number): NetworkVerdict {
    const lost = new Set([...this.#voters.values()].flatMap((voter) => [...voter.lost]));
    if (lost.size < FEWEST_NETWORKS) {
      return FINE;
    }
    const down = this.#majority(nowMs);
    const lostByMost = new Set(down.flatMap((voter) => [...voter.lost]));
    if (lostByMost.size < FEWEST_NETWORKS) {
      return { is: 'fine', witnesses: this.#witnesses(nowMs) };
    }
    this.#begin(lostByMost);
    const forgiven = [...this.#failures.keys()].filter((id) => id !== sourceId);
    this.#failures.clear();
    return { is: 'outage', forgiven };
  }

  #begin(lost: ReadonlySet<string>): void {
    this.#outage = true;
    lost.forEach((network) => this.#lost.add(network));
    this.#voters.forEach(({ answered }) => answered.clear());
    this.#logger.warn(
      `The servers of ${lost.size} networks that answered lately cannot be reached: the network seems to be ` +
        'down. Not counted as feed errors; retrying shortly.',
    );
  }

  #end(): void {
    this.#outage = false;
    this.#lost.clear();
    this.#returns = [];
    this.#failures.clear();
    this.#voters.forEach(({ lost }) => lost.clear());
    this.#logger.log('The network is up again.');
  }

  #vote({ hostKey, followedBy, sourceId, outcome }: NetworkSign, nowMs: number): void {
    const network = networkOf(hostKey);
    if (!this.#outage) {
      this.#voters.forEach(({ atMs, lost }) => nowMs - atMs > TOGETHER_MS && lost.clear());
    }
    for (const follower of followedBy) {
      const { answered, lost } = this.#voterOf(follower, nowMs);
      answered.delete(network);
      if (outcome === 'unreached') {
        lost.add(network);
      } else {
        answered.set(network, sourceId);
        lost.delete(network);
        if (!this.#outage) {
          lost.clear();
        }
      }
    }
    if (this.#outage) {
      this.#checkRecovery(network, outcome === 'reached', nowMs);
    }
  }

  #voterOf(follower: number, nowMs: number): Voter {
    const known = this.#voters.get(follower) ?? { answered: new Map(), lost: new Set() };
    const voter = { ...known, atMs: nowMs, asked: false };
    this.#voters.delete(follower);
    this.#voters.set(follower, voter);
    const [oldest] = this.#voters.keys();
    if (oldest !== undefined && this.#voters.size > MOST_VOTERS) {
      this.#voters.delete(oldest);
    }
    return voter;
  }

  /** Over when lost networks answer again, or when it turns out that most voters did not lose theirs. */
  #checkRecovery(network: string, reached: boolean, nowMs: number): void {
    if (!reached) {
      this.#lost.add(network);
    }
    if (this.#lost.has(network)) {
      this.#returns = [...this.#returns, reached].slice(-FEWEST_NETWORKS);
    }
    const returned = this.#returns.filter(Boolean).length;
    if (returned * 2 >= FEWEST_NETWORKS || this.#majority(nowMs).length === 0) {
      this.#end();
    }
  }

  /** The voters to whom the network is down, if they are most. */
  #majority(nowMs: number): readonly Voter[] {
    const voters = [...this.#voters.values()].filter(({ atMs }) => nowMs - atMs < LATELY_MS);
    const down = voters.filter((voter) => this.#isDown(voter));
    return down.length * 2 > voters.length ? down : [];
  }

  #isDown({ answered, lost }: Voter): boolean {
    // Before an outage, `lost` has what was lost since the last answer: one publisher may be down.
    return this.#outage ? lost.size > answered.size : lost.size > (answered.size > 0 ? 1 : 0);
  }

  /** Recent sources of voters that have not been heard of for a while. */
  #witnesses(nowMs: number): number[] {
    const silent = [...this.#voters.values()].filter(
      ({ atMs, asked }) => !asked && nowMs - atMs > WITNESS_MS,
    );
    return silent.flatMap((voter) => {
      voter.asked = true;
      return [...voter.answered.values()].slice(-WITNESSES);
    });
  }

  #remember(sourceId: number, failed: boolean, nowMs: number): void {
    this.#failures.delete(sourceId);
    if (failed) {
      this.#failures.set(sourceId, nowMs);
    }
    for (const [id, atMs] of this.#failures) {
      if (atMs > nowMs - TOGETHER_MS) {
        return;
      }
      this.#failures.delete(id);
    }
  }
}
