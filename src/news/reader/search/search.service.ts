import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { invalid } from '../../../common/errors/domain-error.js';
import { bindPlaces } from '../../query/bind-places.js';
import { parseQuery } from '../../query/parse-query.js';
import type { Query, UserPlaces } from '../../query/query.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import type { ItemSelection } from '../items/item-list.sql.js';
import type { ItemBatches } from '../items/items.service.js';
import { QueriedArticlesRepository } from '../items/queried-articles.repository.js';
import { UserPlacesRepository } from '../items/user-places.repository.js';
import type { Place } from '../rows/place.js';
import type { ListedRow } from '../rows/rows.sql.js';
import { askedQuery, type AskedQuery } from './asked-query.js';
import { Relevance } from './relevance.js';
import { SearchIndexRepository } from './search-index.repository.js';
import { SearchIndex } from './search-index.service.js';
import { SearchNotFound } from './search.errors.js';
import {
  SearchRepository,
  type Candidate,
  type FoundPage,
  type SearchPage,
  type Sought,
} from './search.repository.js';

class InvalidSearch extends invalid((rule: string) => `The search ${rule}.`) {}

/** As people type into a box. */
const AS_TYPED = { anyCaseOr: true, lastIsPrefix: true, mostCharacters: 1000 };

/** Articles that are not indexed yet and are looked at one by one; above it, the newest ones only. */
const MOST_PENDING = 500;

/** A page ends earlier if it takes longer; of a client that knows no end but that of the list, later. */
const PAGE_MS = 3000;
const CLIENT_PAGE_MS = 15_000;
/** Further matches are counted so long, and so far. */
const COUNT_MS = 250;
const MOST_MATCHES = 1000;

/** Candidates looked at together, first and at most. */
const FEW_CANDIDATES = 60;
const MANY_CANDIDATES = 500;

/** The newest matches, which are ordered by relevance. */
const MOST_RANKED = 1000;
const RANKED_MS = 1500;

/** What is searched for. */
export interface SearchRequest {
  /** As typed; or the saved search with this id. */
  readonly search: { readonly query: string } | { readonly searchId: number };
  readonly selection: ItemSelection;
  /** IANA name. */
  readonly timeZone: string;
}

export interface FoundRows {
  readonly query: Query;
  readonly rows: readonly ListedRow[];
  /** Where the next page begins; null on the last one. */
  readonly next: Place | null;
  /** Null on later pages. */
  readonly first: {
    readonly matches: Matches;
    /** See rows by date. */
    readonly changesKnownMicros: number;
    readonly places: UserPlaces;
    /** Whether all articles were looked for; else older ones are still being indexed. */
    readonly isIndexed: boolean;
  } | null;
}

export interface Matches {
  readonly count: number;
  /** False: there are more. */
  readonly isExact: boolean;
}

/** Matching items, newest first. */
interface Found {
  readonly items: readonly Candidate[];
  /** The last item that was looked at, if the page ended early. */
  readonly cutAfter: Place | null;
  readonly matches: Matches;
  readonly isIndexed: boolean;
}

/** How far matches are looked for. */
interface Effort {
  /** Matches of the page; further ones are counted up to `most`. */
  readonly limit: number;
  readonly most: number;
  readonly pageMs: number;
  readonly countMs: number;
}

/** Finds a user's items by queries. */
@Injectable()
export class SearchService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly places: UserPlacesRepository,
    private readonly articles: QueriedArticlesRepository,
    private readonly index: SearchIndexRepository,
    private readonly indexing: SearchIndex,
    private readonly search: SearchRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * A page of the user's items that match, newest first. Does not deliver: articles that arrived since the
   * last synchronisation are not found.
   *
   * @throws InvalidSearch, QueryError, SearchNotFound
   */
  async find(reader: Reader, request: SearchRequest, page: SearchPage): Promise<ItemBatches> {
    const places = await this.places.placesOf(reader.id);
    const asked = this.#asked(request, places);
    const position = await this.readers.positionOf(reader);
    const { items } = await this.#find(reader.id, asked, page, {
      limit: page.limit,
      most: page.limit,
      pageMs: CLIENT_PAGE_MS,
      countMs: 0,
    });
    return this.search.items(
      position,
      items.map(({ id }) => id),
    );
  }

  /**
   * Results as rows by date or by relevance, with the number of matches. By relevance the newest matches are
   * ordered, and a page begins at the `dateSeconds`th.
   *
   * @throws InvalidSearch, QueryError, SearchNotFound
   */
  async rows(
    reader: Reader,
    request: SearchRequest,
    page: FoundPage,
    order: 'date' | 'relevance',
  ): Promise<FoundRows> {
    const places = await this.places.placesOf(reader.id);
    const asked = this.#asked(request, places);
    const { query } = asked;
    const { lastModifiedMicros } = await this.readers.positionOf(reader);
    const isFirst = page.after === null;
    const { ids, next, matches, isIndexed } = await (order === 'relevance'
      ? this.#ranked(reader.id, asked, page)
      : this.#byDate(reader.id, asked, page));
    const rows = new Map((await this.search.rows(reader.id, ids)).map((row) => [row.id, row]));
    return {
      query,
      rows: ids.flatMap((id) => rows.get(id) ?? []),
      next,
      first: isFirst
        ? { matches, changesKnownMicros: lastModifiedMicros, places, isIndexed }
        : null,
    };
  }

  /**
   * Reads a query that is no search yet.
   *
   * @param asTyped as a search that may be unfinished
   * @throws QueryError
   */
  async read(
    reader: Reader,
    typed: string,
    asTyped: boolean,
  ): Promise<{ readonly query: Query; readonly places: UserPlaces }> {
    const places = await this.places.placesOf(reader.id);
    const options = asTyped ? AS_TYPED : {};
    return { query: bindPlaces(parseQuery(typed.toWellFormed(), options), places), places };
  }

  /**
   * The newest items that a query matches, by arrival.
   *
   * @param how `ms`: looks no longer
   * @returns ids, newest first; `isComplete` false: there may be more
   */
  async newest(
    readerId: number,
    query: Query,
    places: UserPlaces,
    how: { readonly unreadOnly: boolean; readonly most: number; readonly ms: number },
  ): Promise<{ readonly ids: readonly number[]; readonly isComplete: boolean }> {
    const { unreadOnly, most, ms } = how;
    const selection: ItemSelection = { of: unreadOnly ? 'unread' : 'all', unreadOnly };
    const now = this.clock.now();
    const asked = askedQuery(query, selection, { now, timeZone: 'UTC', places });
    const found = await this.#find(
      readerId,
      asked,
      { offset: null, limit: most },
      { limit: most, most: most + 1, pageMs: ms, countMs: 0 },
    );
    const isComplete = found.matches.isExact && found.isIndexed;
    return { ids: found.items.map(({ id }) => id), isComplete };
  }

  #asked({ search, selection, timeZone }: SearchRequest, places: UserPlaces): AskedQuery {
    const query =
      'searchId' in search
        ? SearchNotFound.unless(
            places.search.find(({ id }) => id === search.searchId),
            search.searchId,
          ).query
        : bindPlaces(typedQuery(search.query), places);
    return askedQuery(query, selection, { now: this.clock.now(), timeZone, places });
  }

  async #byDate(readerId: number, asked: AskedQuery, page: FoundPage) {
    const isFirst = page.after === null;
    const { items, cutAfter, ...found } = await this.#find(readerId, asked, page, {
      limit: page.limit,
      most: isFirst ? MOST_MATCHES + 1 : page.limit,
      pageMs: PAGE_MS,
      countMs: COUNT_MS,
    });
    const next = items.length === page.limit ? (items.at(-1) ?? null) : cutAfter;
    return { ...found, ids: items.map(({ id }) => id), next };
  }

  async #ranked(readerId: number, asked: AskedQuery, { after, limit }: FoundPage) {
    const { items, ...found } = await this.#find(
      readerId,
      asked,
      { after: null, limit: MOST_RANKED },
      { limit: MOST_RANKED, most: MOST_RANKED + 1, pageMs: RANKED_MS, countMs: 0 },
    );
    const relevance = new Relevance(asked.query, this.clock.nowSeconds());
    const scores = await this.articles.ask(
      readerId,
      items.map(({ id }) => id),
      (article) => relevance.of(article),
    );
    const ranked = items.toSorted((a, b) => (scores.get(b.id) ?? 0) - (scores.get(a.id) ?? 0));
    const begin = after?.dateSeconds ?? 0;
    const end = begin + limit;
    const ids = ranked.slice(begin, end).map(({ id }) => id);
    return { ...found, ids, next: end < ranked.length ? { dateSeconds: end, id: 0 } : null };
  }

  /** Goes through the candidates until there are enough matches, or it takes too long. */
  async #find(
    readerId: number,
    asked: AskedQuery,
    page: SearchPage | FoundPage,
    { limit, most, pageMs, countMs }: Effort,
  ): Promise<Found> {
    const behind = await this.index.followedBehind(readerId);
    const pending = await this.index.pendingOf(behind, MOST_PENDING + 1);
    const isIndexed = pending.length <= MOST_PENDING;
    if (!isIndexed) {
      this.indexing.hasten(behind);
    }
    const sought: Sought = { ...asked, pending: isIndexed ? pending : null };
    const items: Candidate[] = [];
    let count = 0;
    let endsAt = performance.now() + pageMs;
    let together = FEW_CANDIDATES;
    for await (const { candidates, last } of this.search.candidates(readerId, sought, page)) {
      for (let at = 0; at < candidates.length;) {
        const isFull = items.length >= limit;
        const some = candidates.slice(at, at + (isFull ? MANY_CANDIDATES : together));
        together = Math.min(MANY_CANDIDATES, 2 * together);
        const matching = await this.#matching(readerId, asked, some);
        at += some.length;
        count += matching.length;
        items.push(...matching.slice(0, limit - items.length));
        if (!isFull && items.length >= limit) {
          endsAt = performance.now() + countMs;
        }
        const isLast = last === null && at === candidates.length;
        if (count >= most || (performance.now() > endsAt && !isLast)) {
          const matches = { count: Math.min(count, most - 1), isExact: false };
          const cutAfter = items.length < limit ? (some.at(-1) ?? null) : null;
          return { items, cutAfter, matches, isIndexed };
        }
      }
      if (performance.now() > endsAt && last !== null) {
        const cutAfter = items.length < limit ? last : null;
        return { items, cutAfter, matches: { count, isExact: false }, isIndexed };
      }
    }
    return { items, cutAfter: null, matches: { count, isExact: true }, isIndexed };
  }

  async #matching(
    readerId: number,
    { matcher, rest }: AskedQuery,
    candidates: readonly Candidate[],
  ): Promise<Candidate[]> {
    const isExact = new Map(candidates.map((candidate) => [candidate.id, candidate.isExact]));
    const asked = candidates.filter((candidate) => !candidate.isExact || rest !== null);
    const answers = await this.articles.ask(
      readerId,
      asked.map(({ id }) => id),
      (article, { itemId }) =>
        (isExact.get(itemId) === true ? (rest ?? matcher) : matcher).matches(article),
    );
    return candidates.filter(({ id, isExact }) => answers.get(id) ?? (isExact && rest === null));
  }
}

/** @throws InvalidSearch, QueryError */
function typedQuery(given: string): Query {
  const typed = given.toWellFormed();
  if (typed.trim() === '') {
    throw new InvalidSearch('needs at least one word');
  }
  if (typed.includes('\0')) {
    throw new InvalidSearch('must not contain a null character');
  }
  return parseQuery(typed, AS_TYPED);
}
