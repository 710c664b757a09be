import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { invalid } from '../../../common/errors/domain-error.js';
import { assertBelowLimit } from '../../../common/errors/limit-reached.js';
import { keepLatest } from '../../../common/keep-latest.js';
import type { SqlRunner } from '../../../database/database.js';
import { checkedName } from '../../news.errors.js';
import { bindPlaces, searchesIn } from '../../query/bind-places.js';
import { parseQuery } from '../../query/parse-query.js';
import type { Query, UserPlaces } from '../../query/query.js';
import { queryHash } from '../../query/rule-query.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import { UserPlacesRepository } from '../items/user-places.repository.js';
import { SavedSearchesRepository, type SavedSearch } from './saved-searches.repository.js';
import { SearchUsersOffer } from './search-users.offer.js';
import {
  InvalidSearchName,
  SearchAlreadyExists,
  SearchIsUsed,
  SearchNotFound,
} from './search.errors.js';
import { SearchService } from './search.service.js';

class InvalidSavedSearch extends invalid('A saved search needs at least one condition.') {}

const MAX_NAME_CHARACTERS = 255;

/** How far unread items of a search are counted, and its items listed in clients. */
const UNREAD = { unreadOnly: true, most: 100, ms: 200 };
const STREAM = { unreadOnly: false, most: 1000, ms: 3000 };
/** All searches in one request. */
const ALL_COUNTS_MS = 1000;
/** Relative dates move on. */
const COUNT_LASTS_MS = 60_000;
const MOST_COUNTS = 10_000;

/** As the user writes it. */
export interface GivenSearch {
  readonly name: string;
  readonly query: string;
  readonly inClients: boolean;
}

export interface UnreadOfSearch {
  /** At most 100. */
  readonly unreadCount: number;
  /** False: there may be more, since counting takes long or articles are still being indexed. */
  readonly isCounted: boolean;
}

export type ListedSearch = SavedSearch &
  UnreadOfSearch & {
    /** Names of rules and searches that use it. */
    readonly usedBy: readonly string[];
  };

const NOT_COUNTED: UnreadOfSearch = { unreadCount: 0, isCounted: false };

interface KnownCount {
  readonly counted: UnreadOfSearch;
  /** Of what it depends on. */
  readonly key: string;
  readonly atMs: number;
}

/** Searches that users keep under a name, with their unread items. Names are unique per user. */
@Injectable()
export class SavedSearchesService {
  /** By the search's id. */
  readonly #counts = new Map<number, KnownCount>();

  constructor(
    private readonly readers: ReadersRepository,
    private readonly places: UserPlacesRepository,
    private readonly searches: SavedSearchesRepository,
    private readonly search: SearchService,
    private readonly users: SearchUsersOffer,
    private readonly config: Config,
  ) {}

  /**
   * Sorted by name.
   *
   * @param searchId of this one alone
   */
  async list(
    reader: Reader,
    searchId?: number,
  ): Promise<{ readonly searches: ListedSearch[]; readonly places: UserPlaces }> {
    const places = await this.places.placesOf(reader.id);
    const users = await this.#usersOf(reader.id, places);
    const stored = await this.searches.list(reader.id);
    const chosen = stored.filter(({ id }) => searchId === undefined || id === searchId);
    const counts = await this.#counted(reader, chosen, places);
    const searches = chosen.map((search) => ({
      ...search,
      ...(counts.get(search.id) ?? NOT_COUNTED),
      usedBy: users.get(search.id) ?? [],
    }));
    return { searches, places };
  }

  async namesInClients(reader: Reader): Promise<readonly string[]> {
    return (await this.searches.list(reader.id)).flatMap(({ name, inClients }) =>
      inClients ? [name] : [],
    );
  }

  /** Those that the user wants to see in clients, with their unread items. */
  async inClients(reader: Reader): Promise<readonly (SavedSearch & UnreadOfSearch)[]> {
    const shown = (await this.searches.list(reader.id)).filter(({ inClients }) => inClients);
    if (shown.length === 0) {
      return [];
    }
    const counts = await this.#counted(reader, shown, await this.places.placesOf(reader.id));
    return shown.map((search) => ({ ...search, ...(counts.get(search.id) ?? NOT_COUNTED) }));
  }

  /** The newest items of a search that is shown in clients, by its name; null if there is none. */
  async itemsInClients(reader: Reader, name: string): Promise<readonly number[] | null> {
    const searches = await this.searches.list(reader.id);
    const search = searches.find((one) => one.inClients && one.name === name);
    if (search === undefined) {
      return null;
    }
    const { id } = reader;
    const places = await this.places.placesOf(id);
    return (await this.search.newest(id, search.query, places, STREAM)).ids;
  }

  /**
   * @returns its id
   * @throws QueryError, InvalidSavedSearch, InvalidSearchName, SearchAlreadyExists
   * @throws LimitReached
   */
  async create(reader: Reader, given: GivenSearch): Promise<number> {
    return this.readers.change(reader, async (tx, { id }) => {
      const search = checkedSearch(given, await this.places.placesOf(id, tx));
      const most = this.config.limits['saved-searches-per-user'];
      const count = await this.searches.count(id, most, tx);
      assertBelowLimit(this.config, 'saved-searches-per-user', count);
      return this.searches.create(id, search, tx);
    });
  }

  /**
   * Changes also what rules and searches find that use it.
   *
   * @throws QueryError also for a query that uses the search itself, by however many others
   * @throws SearchNotFound, InvalidSavedSearch, InvalidSearchName, SearchAlreadyExists
   */
  async change(reader: Reader, searchId: number, given: GivenSearch): Promise<void> {
    await this.readers.change(reader, async (tx, locked) => {
      const places = await this.places.placesOf(locked.id, tx);
      found(places, searchId);
      const search = checkedSearch(given, places, searchId);
      await this.searches.change(locked.id, { id: searchId, ...search }, tx);
      await this.users.service?.changed(locked, tx);
    });
  }

  /** @throws SearchNotFound @throws SearchIsUsed by rules or other searches */
  async remove(reader: Reader, searchId: number): Promise<void> {
    await this.readers.change(reader, async (tx, { id }) => {
      const places = await this.places.placesOf(id, tx);
      const { name } = found(places, searchId);
      const users = (await this.#usersOf(id, places, tx)).get(searchId) ?? [];
      if (users.length > 0) {
        throw new SearchIsUsed(name, users.map((user) => `"${user}"`).join(', '));
      }
      await this.searches.remove(id, searchId, tx);
    });
  }

  /** Names of rules and searches by the search that they use. */
  async #usersOf(readerId: number, places: UserPlaces, tx?: SqlRunner) {
    const users = new Map(await this.users.service?.bySearch(readerId, tx));
    for (const { name, query } of places.search) {
      for (const id of searchesIn(query)) {
        users.set(id, [...new Set([...(users.get(id) ?? []), name])]);
      }
    }
    return users;
  }

  /** Counts again only what may have changed, and not for long. */
  async #counted(reader: Reader, searches: readonly SavedSearch[], places: UserPlaces) {
    const { lastModifiedMicros } = await this.readers.positionOf(reader);
    const until = performance.now() + ALL_COUNTS_MS;
    const counts = new Map<number, UnreadOfSearch>();
    for (const { id, query } of searches) {
      const key = `${lastModifiedMicros} ${queryHash(query, places)}`;
      const known = this.#counts.get(id);
      const now = performance.now();
      if (known?.key === key && now - known.atMs < COUNT_LASTS_MS) {
        counts.set(id, known.counted);
      } else if (now < until) {
        const { ids, isComplete } = await this.search.newest(reader.id, query, places, UNREAD);
        const isCounted = isComplete || ids.length === UNREAD.most;
        const counted = { unreadCount: ids.length, isCounted };
        counts.set(id, counted);
        if (isCounted) {
          keepLatest(this.#counts, id, { counted, key, atMs: now }, MOST_COUNTS);
        }
      }
    }
    return counts;
  }
}

function found(places: UserPlaces, searchId: number) {
  return SearchNotFound.unless(
    places.search.find(({ id }) => id === searchId),
    searchId,
  );
}

function checkedSearch(
  given: GivenSearch,
  places: UserPlaces,
  searchId?: number,
): Omit<SavedSearch, 'id'> {
  const name = checkedName(given.name.toWellFormed(), MAX_NAME_CHARACTERS, InvalidSearchName);
  const query: Query = bindPlaces(parseQuery(given.query.toWellFormed()), places, searchId);
  if (query.kind === 'everything') {
    throw new InvalidSavedSearch();
  }
  if (places.search.some((other) => other.name === name && other.id !== searchId)) {
    throw new SearchAlreadyExists(name);
  }
  // Clients know folders, labels and these searches by their names alone.
  const { inClients } = given;
  if (inClients && [...places.folder, ...places.label].some((place) => place.name === name)) {
    throw new InvalidSearchName('is that of a folder or label, so that clients cannot show it');
  }
  return { name, query, inClients };
}
