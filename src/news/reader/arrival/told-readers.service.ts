import { Injectable } from '@nestjs/common';
import { keepLatest } from '../../../common/keep-latest.js';
import { Turns } from '../../../common/turns.js';
import { QuerySet } from '../../query/query-set.js';
import type { UserPlaces } from '../../query/query.js';
import type { Arrival } from '../../sources/articles/arrivals.js';
import { OutwardConditionsOffer } from '../delivery/outward-conditions.js';
import { ArrivalsRepository, type EarlyFollower } from './arrivals.repository.js';
import { isNothing, possibleQuery } from './possible-query.js';

/** Feeds whose conditions are remembered: some hundred bytes each. */
const MOST_FEEDS = 50_000;

/** Distinct conditions that are remembered. */
const MOST_CONDITIONS = 20_000;

const READERS_AT_A_TIME = 1000;

/** What the rules of a reader tell of one feed. */
interface FeedConditions extends Pick<EarlyFollower, 'rulesRev' | 'folderId'> {
  /** Of the set. */
  readonly conditions: Int32Array;
}

/**
 * Where rows are on several servers, a change of rules may be visible before the rules are: what was read so
 * soon after it is not remembered.
 */
const SETTLED_SECONDS = 60;

interface Memory {
  /** The distinct conditions. */
  readonly set: QuerySet;
  /** Their numbers, by their JSON: a hundred times as fast as adding one that is there. */
  readonly numbers: Map<string, number>;
  /** By subscription; the longest remembered first. */
  readonly feeds: Map<number, FeedConditions>;
}

const nothingKnown = (): Memory => ({ set: new QuerySet(), numbers: new Map(), feeds: new Map() });

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
      for (const number of conditions) {
        asked[number] = 1;
      }
    }
    const numbers = [...asked.keys()].filter((number) => asked[number] === 1);
    if (numbers.length === 0) {
      return [];
    }
    const now = new Date();
    const published = new Set<number>();
    const inFull = new Set<number>();
    for await (const article of this.arrivals.articles(arrival, set.needsText(numbers))) {
      addAll(published, await set.matching(article.published, now, numbers));
      if (article.inFull !== null) {
        addAll(inFull, await set.matching(article.inFull, now, numbers));
      }
    }
    if (published.size + inFull.size === 0) {
      return [];
    }
    return of
      .filter(({ follower, conditions }) =>
        conditions.some(
          (number) => published.has(number) || (follower.showsFullText && inFull.has(number)),
        ),
      )
      .map(({ follower }) => follower);
  }

  /** Reads those of readers whose rules have changed, or that are not remembered. */
  async #conditionsOf(followers: readonly EarlyFollower[]) {
    if (this.#memory.numbers.size > MOST_CONDITIONS) {
      this.#memory = nothingKnown();
    }
    // Others may begin with another one meanwhile.
    const { set, numbers, feeds } = this.#memory;
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
      const queries = await this.outward.required.of(some.map(({ readerId }) => readerId));
      for (const follower of some) {
        await turns.take();
        const { readerId, subscriptionId, rulesRev, folderId } = follower;
        const own = (queries.get(readerId) ?? [])
          .map((query) => possibleQuery(query, follower))
          .filter((query) => !isNothing(query))
          .map((query) => {
            const json = JSON.stringify(query);
            const number = numbers.get(json) ?? set.add(query, CONTEXT);
            numbers.set(json, number);
            return number;
          });
        const learned = { rulesRev, folderId, conditions: Int32Array.from(new Set(own)) };
        found.set(follower, learned);
        if (rulesRev < settledMicros) {
          keepLatest(feeds, subscriptionId, learned, MOST_FEEDS);
        }
      }
    }
    return { set, of: [...found].map(([follower, { conditions }]) => ({ follower, conditions })) };
  }
}

function addAll(to: Set<number>, numbers: Iterable<number>): void {
  for (const number of numbers) {
    to.add(number);
  }
}
