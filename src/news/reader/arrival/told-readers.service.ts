import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { keepLatest } from '../../../common/keep-latest.js';
import { Turns } from '../../../common/turns.js';
import { QuerySet } from '../../query/query-set.js';
import type { Query, UserPlaces } from '../../query/query.js';
import type { Arrival } from '../../sources/articles/arrivals.js';
import { OutwardConditionsOffer } from '../delivery/outward-conditions.js';
import { ArrivalsRepository, type EarlyFollower } from './arrivals.repository.js';
import { isNothing, possibleQuery } from './possible-query.js';

/** Feeds whose conditions are remembered: some hundred bytes each. */
const MOST_FEEDS = 50_000;

/** Distinct conditions, and characters of their distinct words, that are remembered; each takes some 100 bytes. */
const MOST_CONDITIONS = 20_000;
const MOST_CHARACTERS = 500_000;

/** Beyond, everything is forgotten when it is so old: much of it may be of rules that are gone. */
const FORGET_MS = 10 * 60_000;

/** Their rules are read together. */
const READERS_AT_A_TIME = 100;

/** Longer JSON is remembered by a hash. */
const LONGEST_JSON = 100;

/** What the rules of a reader tell of one feed. */
interface FeedConditions extends Pick<EarlyFollower, 'rulesRev' | 'folderId'> {
  /** Of the set; null while there is no room for them: then any article may match. */
  readonly conditions: Int32Array | null;
}

/**
 * Where rows are on several servers, a change of rules may be visible before the rules are: what was read so
 * soon after it is not remembered.
 */
const SETTLED_SECONDS = 60;

interface Memory {
  /** The distinct conditions. */
  readonly set: QuerySet;
  readonly begunAt: number;
  /** Their numbers, by their JSON: a hundred times as fast as adding one that is there. */
  readonly numbers: Map<string, number>;
  /** By subscription; the longest remembered first. */
  readonly feeds: Map<number, FeedConditions>;
}

const nothingKnown = (): Memory => ({
  set: new QuerySet(),
  begunAt: performance.now(),
  numbers: new Map(),
  feeds: new Map(),
});

const isFull = ({ set }: Memory) => set.size > MOST_CONDITIONS || set.characters > MOST_CHARACTERS;

/** Places are decided before: conditions name none. */
const CONTEXT = {
  timeZone: 'UTC',
  places: { feed: [], folder: [], label: [], search: [] } satisfies UserPlaces,
};

/**
 * Decides which readers an arrival may tell something. Equal conditions of all readers are one, and each is
 * asked once about an article. Delivery decides what is told: here a reader more costs a delivery, no notice.
 */
@Injectable()
export class ToldReaders {
  #memory = nothingKnown();

  constructor(
    private readonly arrivals: ArrivalsRepository,
    private readonly outward: OutwardConditionsOffer,
  ) {}

  /** Of followers who are early for their rules alone, those for whom any condition may match. */
  async among(followers: readonly EarlyFollower[], arrival: Arrival): Promise<EarlyFollower[]> {
    if (this.outward.service === undefined || followers.length === 0) {
      return [...followers];
    }
    const { set, of } = await this.#conditionsOf(followers);
    const asked = new Uint8Array(set.size);
    for (const { conditions } of of) {
      for (const number of conditions ?? []) {
        asked[number] = 1;
      }
    }
    const numbers = [...asked.keys()].filter((number) => asked[number] === 1);
    const now = new Date();
    const published = new Set<number>();
    const inFull = new Set<number>();
    const articles = this.arrivals.articles(arrival, set.needsText(numbers));
    for await (const article of numbers.length === 0 ? [] : articles) {
      addAll(published, await set.matching(article.published, now, numbers));
      if (article.inFull !== null) {
        addAll(inFull, await set.matching(article.inFull, now, numbers));
      }
    }
    return of
      .filter(
        ({ follower, conditions }) =>
          conditions === null ||
          conditions.some(
            (number) => published.has(number) || (follower.showsFullText && inFull.has(number)),
          ),
      )
      .map(({ follower }) => follower);
  }

  /** Reads those of readers whose rules have changed, or that are not remembered. */
  async #conditionsOf(followers: readonly EarlyFollower[]) {
    if (isFull(this.#memory) && performance.now() - this.#memory.begunAt > FORGET_MS) {
      this.#memory = nothingKnown();
    }
    // Others may begin with another one meanwhile.
    const memory = this.#memory;
    const { set, feeds } = memory;
    const found = new Map<EarlyFollower, FeedConditions>();
    const unknown = followers.filter((follower) => {
      const known = feeds.get(follower.subscriptionId);
      const isSame = known?.rulesRev === follower.rulesRev && known.folderId === follower.folderId;
      if (isSame) {
        found.set(follower, known);
      }
      return !isSame;
    });
    const turns = new Turns();
    const settledMicros = (Date.now() - SETTLED_SECONDS * 1000) * 1000;
    for (let at = 0; at < unknown.length; at += READERS_AT_A_TIME) {
      const some = unknown.slice(at, at + READERS_AT_A_TIME);
      const queries = isFull(memory)
        ? null
        : await this.outward.required.of(some.map(({ readerId }) => readerId));
      for (const follower of some) {
        const { readerId, subscriptionId, rulesRev, folderId } = follower;
        const own = new Set<number>();
        for (const query of queries?.get(readerId) ?? []) {
          await turns.take();
          const possible = possibleQuery(query, follower);
          if (!isNothing(possible) && !isFull(memory)) {
            own.add(numberOf(possible, memory));
          }
        }
        const conditions = isFull(memory) ? null : Int32Array.from(own);
        const learned = { rulesRev, folderId, conditions };
        found.set(follower, learned);
        if (conditions !== null && rulesRev < settledMicros) {
          keepLatest(feeds, subscriptionId, learned, MOST_FEEDS);
        }
      }
    }
    return { set, of: [...found].map(([follower, { conditions }]) => ({ follower, conditions })) };
  }
}

function numberOf(query: Query, { set, numbers }: Memory): number {
  const json = JSON.stringify(query);
  const key =
    json.length <= LONGEST_JSON ? json : createHash('sha256').update(json).digest('base64');
  const number = numbers.get(key) ?? set.add(query, CONTEXT);
  numbers.set(key, number);
  return number;
}

function addAll(to: Set<number>, numbers: Iterable<number>): void {
  for (const number of numbers) {
    to.add(number);
  }
}
