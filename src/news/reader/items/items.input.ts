import { createHash } from 'node:crypto';
import { z } from 'zod';
import { orElse } from '../../../common/http/loose-inputs.js';
import {
  boolean,
  integer,
  LONGEST_SECONDS,
  longList,
  text,
  toId,
  unlessAbsent,
} from '../../parameters.js';
import type { ItemSelection } from './item-list.sql.js';

/** newsboat 2.21 sends the guid itself instead of its hash. */
export const GuidHashPath = z.object({
  feedId: integer,
  guidHash: text.transform((given) => (/^[0-9a-f]{32}$/i.test(given) ? given : guidHash(given))),
});

/** MD5, lower-case hex. */
export const guidHash = (guid: string) => createHash('md5').update(guid).digest('hex');

export const ReadAllUpTo = z.object({ newestItemId: integer });

/** Item ids, or pairs of feed id and guid hash; clients call the list `items` or `itemIds`. */
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

type NamedItem = number | { readonly feedId: number; readonly guidHash: string };

function manyItems() {
  const pair = { feedId: { type: 'integer' }, guidHash: { type: 'string' } };
  const required = Object.keys(pair);
  return longList({
    elements: { anyOf: [{ type: 'integer' }, { type: 'object', properties: pair, required }] },
    read: toNamedItem,
    error: 'must be item ids, or objects with feedId and guidHash',
  });
}

function toNamedItem(sent: unknown): NamedItem | null {
  if (typeof sent === 'object' && sent !== null) {
    const { feedId, guidHash: hash } = sent as Readonly<Record<string, unknown>>;
    const id = toId(feedId);
    return id !== null && typeof hash === 'string' ? { feedId: id, guidHash: hash } : null;
  }
  return toId(sent);
}

/**
 * `type` 0 feed, 1 folder, 2 starred, 3 all; 6 (unread) is accepted by the reference, too; 20 (label) is
 * our own, far from numbers that the reference may use in future.
 */
export const SELECTED = {
  type: orElse(
    integer.refine((type) => [0, 1, 2, 3, 6, 20].includes(type), {
      error: 'must be 0 (feed), 1 (folder), 2 (starred), 3 (all), 6 (unread) or 20 (label)',
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

export const ListChangedItems = z
  .object({ ...SELECTED, lastModified: orElse(integer, 0) })
  .transform(({ type, id, lastModified }) => ({
    // Includes read items: becoming read is a change.
    selection: toSelection(type, id, false),
    sinceMicros: lastModified <= LONGEST_SECONDS ? lastModified * 1_000_000 : lastModified,
  }));

/** @param id of the feed, folder or label; 0 is the root */
export function toSelection(type: number, id: number, unreadOnly: boolean): ItemSelection {
  switch (type) {
    case 0:
      return { of: 'feed', feedId: id, unreadOnly };
    case 1:
      return { of: 'folder', folderId: id === 0 ? null : id, unreadOnly };
    case 2:
      return { of: 'starred', unreadOnly };
    case 20:
      return { of: 'label', labelId: id, unreadOnly };
    case 6:
      return { of: 'unread', unreadOnly };
    default:
      return { of: unreadOnly ? 'unread' : 'all', unreadOnly };
  }
}
