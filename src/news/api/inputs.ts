import { createHash } from 'node:crypto';
import { z } from 'zod';
import { looseBoolean, orElse } from '../../common/http/loose-inputs.js';
import type { ItemSelection } from '../reader/items/item-list.sql.js';

/*
 * What the routes accept. Clients are loose: numbers arrive as text, booleans as 1, parameters in
 * the query of a PUT, and integers up to 2^63-1 as "the newest there is".
 */

const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * A whole number, or its text; far too large ones become the largest exact one. An empty text and
 * the text "null" are 0, as in the reference: clients send both for an id that they do not have.
 */
const integer = z.preprocess(toInteger, z.int({ error: 'must be a whole number' }));

const boolean = looseBoolean('must be true or false');

/** Absent and null alike leave a setting as it is. */
const unlessAbsent = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => value ?? undefined, schema.optional());

const folderOrRoot = z
  .union([z.null(), integer], { error: 'must be the id of a folder, or null' })
  .transform((id) => (id === 0 ? null : id));

/** A folder on input: absent, null and whatever counts as 0 are the root. */
const folderId = z.preprocess((value) => value ?? null, folderOrRoot);

/** The same where leaving it out means that the feed stays where it is. */
const newFolderId = folderOrRoot.optional();

const text = z.string({ error: 'must be a text' });

export const FolderPath = z.object({ folderId: integer });
export const FeedPath = z.object({ feedId: integer });
export const ItemPath = z.object({ itemId: integer });
/** With `undoable` it can be restored for a while. */
export const RemoveFolder = z.object({ folderId: integer, undoable: orElse(boolean, false) });
export const RemoveFeed = z.object({ feedId: integer, undoable: orElse(boolean, false) });
export const AssistancePath = z.object({ itemId: integer, taskId: integer });

/** What a language is called by: `de`, `pt-BR`, and whatever providers make of that. */
const language = text.regex(/^[A-Za-z][\w-]{0,34}$/, { error: 'must be the code of a language' });

export const TranslateItem = z.object({
  itemId: integer,
  to: language,
  from: z.preprocess(
    (value) => (value === undefined || value === '' ? null : value),
    z.union([z.null(), language], { error: 'must be the code of a language, or left out' }),
  ),
});

/** The guid itself in place of its hash is a habit of newsboat 2.21. */
export const GuidHashPath = z.object({
  feedId: integer,
  guidHash: text.transform((given) => (/^[0-9a-f]{32}$/i.test(given) ? given : guidHash(given))),
});

export const guidHash = (guid: string) => createHash('md5').update(guid).digest('hex');

export const FolderName = z.object({ name: text });
export const RenameFolder = z.object({ folderId: integer, name: text });
export const ReadFolderUpTo = z.object({ folderId: integer, newestItemId: integer });

export const PreviewFeed = z.object({ url: text });
export const Subscribe = z.object({ url: text, folderId });
export const MoveFeed = z.object({ feedId: integer, folderId });
export const RenameFeed = z.object({ feedId: integer, feedTitle: text });
export const ReadFeedUpTo = z.object({ feedId: integer, newestItemId: integer });
export const ReadAllUpTo = z.object({ newestItemId: integer });

/** Settings of one feed; those that are left out stay as they are. */
export const ChangeFeedSettings = z
  .object({
    feedId: integer,
    title: unlessAbsent(text),
    folderId: newFolderId,
    fullTextEnabled: unlessAbsent(boolean),
    pinned: unlessAbsent(boolean),
    ordering: unlessAbsent(
      integer.refine((value) => [0, 1, 2].includes(value), {
        error: 'must be 0 (no special order), 1 (oldest first) or 2 (newest first)',
      }),
    ),
    updateMode: unlessAbsent(
      integer.refine((value) => [0, 1].includes(value), {
        error: 'must be 0 (a changed item keeps its unread flag) or 1 (it becomes unread)',
      }),
    ),
  })
  .transform(({ feedId, fullTextEnabled, ...settings }) => ({
    feedId,
    settings: { fullText: fullTextEnabled, ...settings },
  }));

const keywords = orElse(text, '');
const KEYWORDS = { titleKeywords: keywords, bodyKeywords: keywords, urlKeywords: keywords };

/** As an object named `filter`, as answers have it, or without one. */
export const SaveFilter = z
  .object({ feedId: integer, filter: unlessAbsent(z.object(KEYWORDS)), ...KEYWORDS })
  .transform(({ feedId, filter, ...keywords }) => ({ feedId, keywords: filter ?? keywords }));

export const UpdateFeed = z.object({ userId: text, feedId: integer });

/** With `withoutGrace` read items go also before all clients of their user know of it. */
export const AfterUpdate = z.object({ withoutGrace: orElse(boolean, false) });

/** Ids, or pairs of feed and guid hash, under either of the two names in use. */
export const ManyItems = z
  .object({ items: unlessAbsent(manyItems()), itemIds: unlessAbsent(manyItems()) })
  .refine(({ items, itemIds }) => items !== undefined || itemIds !== undefined, {
    path: ['itemIds'],
    error: 'is required: a list of item ids',
  })
  .transform(({ items, itemIds }) => {
    const named = itemIds ?? items ?? [];
    return {
      ids: named.filter((item) => typeof item === 'number'),
      pairs: named.filter((item) => typeof item === 'object'),
    };
  });

export type NamedItems = z.output<typeof ManyItems>;

function manyItems() {
  return z.preprocess(
    // A form or a query with one element has no list.
    (value) => (Array.isArray(value) ? value : [value]),
    z.array(
      z.union([integer, z.object({ feedId: integer, guidHash: text })], {
        error: 'must be item ids, or objects with feedId and guidHash',
      }),
    ),
  );
}

/** What a list is about: `type` 0 feed, 1 folder, 2 starred, 3 all; 6 unread is a habit of the field. */
const SELECTED = {
  type: orElse(
    integer.refine((type) => [0, 1, 2, 3, 6].includes(type), {
      error: 'must be 0 (feed), 1 (folder), 2 (starred), 3 (all) or 6 (unread)',
    }),
    3,
  ),
  id: orElse(integer, 0),
};

/** @see docs/spec/feed-reader-api.md "GET /items parameters" */
export const ListItems = z
  .object({
    ...SELECTED,
    getRead: orElse(boolean, true),
    batchSize: orElse(integer, -1),
    offset: orElse(integer, 0),
    oldestFirst: orElse(boolean, false),
  })
  .transform(({ type, id, getRead, batchSize, offset, oldestFirst }) => ({
    selection: toSelection(type, id, !getRead),
    page: {
      oldestFirst,
      offset: offset <= 0 ? null : offset,
      limit: batchSize <= 0 ? null : batchSize,
    },
  }));

const SEARCH_BATCH = 100;
const LARGEST_SEARCH_BATCH = 1000;

/** Like a list, newest first; read items are part of it. */
export const SearchItems = z
  .object({
    query: text,
    ...SELECTED,
    getRead: orElse(boolean, true),
    batchSize: orElse(integer, SEARCH_BATCH),
    offset: orElse(integer, 0),
  })
  .transform(({ query, type, id, getRead, batchSize, offset }) => ({
    query,
    selection: toSelection(type, id, !getRead),
    page: {
      offset: offset <= 0 ? null : offset,
      limit: batchSize <= 0 ? SEARCH_BATCH : Math.min(batchSize, LARGEST_SEARCH_BATCH),
    },
  }));

/** Seconds as clients have them from items, or microseconds, which are longer. */
const LONGEST_SECONDS = 9_999_999_999;

const unixSeconds = integer.refine((seconds) => seconds >= 0 && seconds <= LONGEST_SECONDS, {
  error: 'must be a time in unix seconds',
});

/** What a program may call itself. */
export const CLIENT_NAME = /^[\w-]{1,64}$/;

export const Listen = z.object({
  client: z.preprocess(
    (value) => value ?? null,
    z.union([z.null(), text.regex(CLIENT_NAME)], {
      error: 'must have at most 64 letters, digits, _ and -',
    }),
  ),
});

/** A span of time and the length of its pieces. */
export const ShowStatistics = z
  .object({
    from: unlessAbsent(unixSeconds),
    to: unlessAbsent(unixSeconds),
    bucketSeconds: unlessAbsent(
      integer.refine((seconds) => seconds >= 60, { error: 'must be at least 60' }),
    ),
  })
  .transform(({ from, to, bucketSeconds }) => ({
    fromSeconds: from,
    toSeconds: to,
    bucketSeconds,
  }));

/** Without `after`, all feeds of the user. */
export const WatchImport = z.object({ after: orElse(integer, 0) });

const SOURCES_AT_ONCE = 50;
const MOST_SOURCES_AT_ONCE = 200;

/** Sources for administrators, page by page. */
export const ListSources = z.object({
  search: orElse(text.trim().max(1000, { error: 'must have at most 1000 characters' }), ''),
  order: orElse(
    z.enum(['errors', 'due', 'title'], { error: 'must be errors, due or title' }),
    'errors',
  ),
  limit: orElse(
    integer.refine((count) => count >= 1 && count <= MOST_SOURCES_AT_ONCE, {
      error: `must be from 1 to ${MOST_SOURCES_AT_ONCE}`,
    }),
    SOURCES_AT_ONCE,
  ),
  offset: orElse(
    integer.refine((count) => count >= 0, { error: 'must not be negative' }),
    0,
  ),
});

export const ListChangedItems = z
  .object({ ...SELECTED, lastModified: orElse(integer, 0) })
  .transform(({ type, id, lastModified }) => ({
    // Read items are part of the answer: that they were read is the change.
    selection: toSelection(type, id, false),
    sinceMicros: lastModified <= LONGEST_SECONDS ? lastModified * 1_000_000 : lastModified,
  }));

function toSelection(type: number, id: number, unreadOnly: boolean): ItemSelection {
  switch (type) {
    case 0:
      return { of: 'feed', feedId: id, unreadOnly };
    case 1:
      return { of: 'folder', folderId: id === 0 ? null : id, unreadOnly };
    case 2:
      return { of: 'starred', unreadOnly };
    case 6:
      return { of: 'unread', unreadOnly };
    default:
      return { of: unreadOnly ? 'unread' : 'all', unreadOnly };
  }
}

function toInteger(value: unknown): unknown {
  if (typeof value === 'boolean') {
    return Number(value);
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? clamp(BigInt(Math.trunc(value))) : value;
  }
  if (typeof value !== 'string') {
    return value;
  }
  const written = value.trim();
  if (written === '' || written === 'null') {
    return 0;
  }
  return /^[+-]?\d{1,40}$/.test(written) ? clamp(BigInt(written.replace('+', ''))) : value;
}

function clamp(value: bigint): number {
  const bounded = value > LARGEST ? LARGEST : value < -LARGEST ? -LARGEST : value;
  return Number(bounded);
}
