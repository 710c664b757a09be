import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { Turns } from '../../common/turns.js';
import { entryOfGuid, withoutAdditions } from '../board-body.js';
import type { Place, Query, UserPlaces } from '../query/query.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { UserPlacesRepository } from '../reader/items/user-places.repository.js';
import { SearchService } from '../reader/search/search.service.js';
import type { ItemSet } from '../reader/streams/stream.js';
import { StreamsService } from '../reader/streams/streams.service.js';
import type { PublishedList as NamedList } from './feeds-out.repository.js';
import type { FeedOut } from './feeds-out.repository.js';
import { ListContentsRepository } from './list-contents.repository.js';
import { toEntry, urnOf, withUniqueIds, type PublishedList } from './published-entry.js';

/** What a user can publish by name. */
export type ListPlaces = UserPlaces & {
  readonly board: readonly (Place & { readonly sourceId: number })[];
};

/** A search looks no longer. */
const SEARCH_MS = 3000;

/** More are looked at, since some may not be shown. */
const SPARE = 4;

/** A page with a beginning never delivers. */
const BEFORE_ALL = Number.MAX_SAFE_INTEGER;

/** Finds what published lists contain: the newest articles of public sources. Never delivers. */
@Injectable()
export class ListContents {
  constructor(
    private readonly config: Config,
    private readonly places: UserPlacesRepository,
    private readonly streams: StreamsService,
    private readonly search: SearchService,
    private readonly contents: ListContentsRepository,
  ) {}

  async placesOf({ id, userId }: Reader): Promise<ListPlaces> {
    return { ...(await this.places.placesOf(id)), board: await this.contents.boards(userId) };
  }

  /** False for the board of a group that the user has left. Asks of boards only. */
  async isThere({ userId, kind, ofId }: FeedOut): Promise<boolean> {
    const boards = kind === 'board' ? await this.contents.boards(userId) : null;
    return boards === null || boards.some(({ id }) => id === ofId);
  }

  /** @returns null if the list is gone; of an article, also if its source is not public any more */
  async read(reader: Reader, list: FeedOut): Promise<PublishedList | null> {
    const places = await this.placesOf(reader);
    const name = nameIn(places, list);
    if (name === null && list.kind !== 'item') {
      return null;
    }
    const ids = await this.#ids(reader, list, places);
    const sourceIds = await this.contents.sourceIds(reader.id, ids);
    const board = boardOf(places, list);
    const sources = await this.contents.publicSources([...sourceIds.values()], board?.sourceId);
    const isPublic = (id: number) => sources.has(sourceIds.get(id) ?? 0);
    const most = this.config.limits['articles-per-feed-out'];
    const shown = ids.filter(isPublic).slice(0, most);
    const articles =
      board === null
        ? await this.contents.articles(reader.id, shown, list.fullText)
        : await this.#onBoard(reader, list, shown);
    const notes =
      list.withNotes && board === null ? await this.contents.notes(reader.id, shown) : new Map();
    const turns = new Turns();
    const entries = [];
    for (const article of articles) {
      const source = sources.get(article.sourceId);
      if (source !== undefined) {
        entries.push(toEntry(article, source, list.fullText, notes.get(article.id) ?? []));
      }
      await turns.take();
    }
    const title = name ?? entries[0]?.title;
    return title === undefined
      ? null
      : {
          isArticle: list.kind === 'item',
          name: title,
          id: urnOf(`list ${list.userId} ${list.id}`),
          updatedSeconds: Math.max(
            Math.floor(list.changedMicros / 1_000_000),
            ...entries.map((entry) => entry.updatedSeconds),
          ),
          entries: withUniqueIds(entries),
        };
  }

  /** The whole texts of entries, which begin with who has added them. */
  async #onBoard(reader: Reader, { ofId, withNotes }: FeedOut, itemIds: readonly number[]) {
    const articles = await this.contents.articles(reader.id, itemIds, true);
    const entryIds = articles.map(({ guid }) => entryOfGuid(guid));
    const present = await this.contents.entriesOn(ofId, entryIds);
    return articles
      .filter(({ guid }) => present.has(entryOfGuid(guid)))
      .map(({ body, ...article }) => ({
        ...article,
        body: withNotes ? body : withoutAdditions(body ?? ''),
      }));
  }

  /** Whether an item is there, and of a public source. */
  async isPublic(reader: Reader, itemId: number): Promise<'missing' | 'private' | 'public'> {
    const sourceId = (await this.contents.sourceIds(reader.id, [itemId])).get(itemId);
    if (sourceId === undefined) {
      return 'missing';
    }
    const sources = await this.contents.publicSources([sourceId]);
    return sources.has(sourceId) ? 'public' : 'private';
  }

  /** Newest first. */
  async #ids(reader: Reader, list: NamedList, places: ListPlaces): Promise<readonly number[]> {
    const { kind, ofId } = list;
    if (kind === 'item') {
      return [ofId];
    }
    const limit = SPARE * this.config.limits['articles-per-feed-out'];
    const feeds = await this.contents.feeds(reader.id);
    const privateIds = feeds.flatMap(({ id, isPublic }) => (isPublic ? [] : [id]));
    if (kind === 'search') {
      const query = places.search.find(({ id }) => id === ofId)?.query;
      const how = { unreadOnly: false, most: limit, ms: SEARCH_MS };
      const { ids } =
        query === undefined
          ? { ids: [] }
          : await this.search.newest(reader.id, outside(privateIds, query), places, how);
      return this.#visible(reader, ids);
    }
    const board = boardOf(places, list);
    const isOfFeeds = kind === 'folder' || kind === 'board';
    const inList = feeds.flatMap(({ id, folderId, sourceId, isPublic }) =>
      (kind === 'board' ? sourceId === board?.sourceId : isPublic && folderId === ofId) ? [id] : [],
    );
    const within: ItemSet =
      kind === 'starred'
        ? { of: 'starred' }
        : kind === 'label'
          ? { of: 'tag', feedIds: [], labelId: ofId }
          : { of: 'tag', feedIds: inList, labelId: null };
    const without: ItemSet[] =
      isOfFeeds || privateIds.length === 0
        ? []
        : [{ of: 'tag', feedIds: privateIds, labelId: null }];
    const batches = await this.streams.ids(
      reader,
      { within: [within], without, fromMicros: null, toMicros: null },
      { oldestFirst: false, after: BEFORE_ALL, limit },
    );
    const ids: number[] = [];
    for await (const batch of batches) {
      ids.push(...batch);
    }
    // What the user has starred or labelled is shown in any case.
    return isOfFeeds ? this.#visible(reader, ids) : ids;
  }

  async #visible(reader: Reader, ids: readonly number[]): Promise<number[]> {
    const shown = await this.contents.shown(reader.id, ids);
    return ids.filter((id) => shown.has(id));
  }
}

/** @returns null if the list is gone, and for an article */
export function nameIn(places: ListPlaces, { kind, ofId }: NamedList): string | null {
  return kind === 'starred'
    ? 'Starred'
    : kind === 'item'
      ? null
      : (places[kind].find(({ id }) => id === ofId)?.name ?? null);
}

function boardOf({ board }: ListPlaces, { kind, ofId }: NamedList) {
  return kind === 'board' ? (board.find(({ id }) => id === ofId) ?? null) : null;
}

/** Matches what the query does, but in none of the feeds. */
function outside(feedIds: readonly number[], query: Query): Query {
  if (feedIds.length === 0) {
    return query;
  }
  const feeds = feedIds.map((id) => ({ kind: 'place', of: 'feed', id, name: '' }) as const);
  return { kind: 'and', of: [query, { kind: 'not', of: { kind: 'or', of: feeds } }] };
}
