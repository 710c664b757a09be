import { Injectable, Logger } from '@nestjs/common';
import { invalid } from '../../../common/errors/domain-error.js';
import { forOthersToo } from '../../../database/statement-limits.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import type { ItemSelection } from '../items/item-list.sql.js';
import type { ItemBatches } from '../items/items.service.js';
import type { ListedRow } from '../rows/rows.repository.js';
import {
  SearchRepository,
  type FoundPage,
  type SearchPage,
  type SourceToIndex,
} from './search.repository.js';

class InvalidSearch extends invalid((rule: string) => `The search ${rule}.`) {}

const MAX_QUERY_CHARACTERS = 1000;

const SOURCES_AT_A_TIME = 50;
const ARTICLES_AT_A_TIME = 100;

/** A search waits so long for articles that are not indexed yet. */
const WAIT_MS = 15_000;

/** Matches are counted so far. */
const MOST_MATCHES = 1000;

export interface FoundRows {
  readonly rows: readonly ListedRow[];
  /** Whether the page has as many rows as it may. */
  readonly isFull: boolean;
  /** Null on later pages. */
  readonly first: {
    readonly matches: Matches;
    /** See rows by date. */
    readonly changesKnownMicros: number;
  } | null;
}

export interface Matches {
  readonly count: number;
  /** False: there are more. */
  readonly isExact: boolean;
}

/** Finds a user's items by the words of their articles. */
@Injectable()
export class SearchService {
  readonly #logger = new Logger('Search');
  /** Keyed by reader. */
  readonly #catchingUp = new Map<number, Promise<void>>();

  constructor(
    private readonly readers: ReadersRepository,
    private readonly search: SearchRepository,
  ) {}

  /**
   * A page of the user's items whose title, body or full text has the words, newest first. Does not
   * deliver: articles that arrived since the last synchronisation are not found.
   *
   * Indexes the articles of the user's feeds that are not indexed yet, in the first search all of them. The
   * rest after 15 s is indexed in the background.
   *
   * @param query words, `"a phrase"`, `or`, `-not`; the last word may be a prefix
   * @throws InvalidSearch
   */
  async find(
    reader: Reader,
    query: string,
    selection: ItemSelection,
    page: SearchPage,
  ): Promise<ItemBatches> {
    const words = checkedQuery(query);
    const position = await this.readers.positionOf(reader);
    await this.#catchUp(reader.id);
    return this.search.find(position, words, selection, page);
  }

  /** Results as rows by date, with the number of matches. @throws InvalidSearch */
  async rows(
    reader: Reader,
    query: string,
    selection: ItemSelection,
    page: FoundPage,
  ): Promise<FoundRows> {
    const words = checkedQuery(query);
    const position = await this.readers.positionOf(reader);
    await this.#catchUp(reader.id);
    const rows = await this.search.rows(reader.id, words, selection, page);
    const isFull = rows.length === page.limit;
    if (page.after !== null) {
      return { rows, isFull, first: null };
    }
    const count = isFull
      ? await this.search.count(reader.id, words, selection, MOST_MATCHES + 1)
      : rows.length;
    const isExact = count <= MOST_MATCHES;
    return {
      rows,
      isFull,
      first: {
        matches: { count: isExact ? count : MOST_MATCHES, isExact },
        changesKnownMicros: position.lastModifiedMicros,
      },
    };
  }

  /** Indexes all new or changed articles of sources whose followers search. Safe to run concurrently. */
  async indexPending(signal?: AbortSignal): Promise<void> {
    for (;;) {
      const sources = await this.search.sourcesToIndex(SOURCES_AT_A_TIME);
      for (const source of sources) {
        if (signal?.aborted === true) {
          return;
        }
        await this.#index(source);
      }
      if (sources.length < SOURCES_AT_A_TIME) {
        return;
      }
    }
  }

  /** Searches of one reader wait for the same work, since people search while they type. */
  async #catchUp(readerId: number): Promise<void> {
    const running = this.#catchingUp.get(readerId);
    if (running !== undefined) {
      return running;
    }
    const started = forOthersToo(() => this.#indexFollowed(readerId)).finally(() =>
      this.#catchingUp.delete(readerId),
    );
    this.#catchingUp.set(readerId, started);
    return started;
  }

  async #indexFollowed(readerId: number): Promise<void> {
    const deadline = performance.now() + WAIT_MS;
    for (const source of await this.search.followedToIndex(readerId)) {
      if (performance.now() > deadline) {
        return;
      }
      await this.#index(source);
    }
  }

  async #index(source: SourceToIndex): Promise<void> {
    // Articles of an imported history may have ids below zero.
    let after: number | null = Number.MIN_SAFE_INTEGER;
    while (after !== null) {
      after = await this.search.indexArticles(source, after, ARTICLES_AT_A_TIME);
    }
    await this.search.noteIndexed(source);
    this.#logger.debug(`source ${source.id}: indexed up to revision ${source.rev}`);
  }
}

function checkedQuery(given: string): string {
  const query = given.toWellFormed().trim();
  if (query === '') {
    throw new InvalidSearch('needs at least one word');
  }
  if (query.length > MAX_QUERY_CHARACTERS) {
    throw new InvalidSearch(`has at most ${MAX_QUERY_CHARACTERS} characters`);
  }
  if (query.includes('\0')) {
    throw new InvalidSearch('must not contain a null character');
  }
  return query;
}
