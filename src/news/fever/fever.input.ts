import { clamped, numberOfDigits } from '../../common/http/loose-inputs.js';
import type { Fields } from '../../common/http/read-fields.js';

/** A client's requested change. */
export interface Mark {
  readonly what: 'item' | 'feed' | 'group';
  readonly as: 'read' | 'unread' | 'saved' | 'unsaved';
  /** Ids of items, feeds or groups; 0 is the group of all feeds. */
  readonly ids: readonly number[];
  /** Items that arrived later keep their flag; unix microseconds, null for all. */
  readonly upToMicros: number | null;
}

/** Selection of items by a client. */
export interface WantedItems {
  /** Only these ids; null for a page. */
  readonly withIds: readonly number[] | null;
  /** The next ones above this id, oldest first; null for newest first. */
  readonly sinceId: number | null;
  /** The next ones below this id; null for the newest. */
  readonly maxId: number | null;
  /** Only of these feeds and groups; null for all. */
  readonly feedIds: readonly number[] | null;
  readonly groupIds: readonly number[] | null;
}

const SELECTORS = [
  'groups',
  'feeds',
  'favicons',
  'items',
  'links',
  'unread_item_ids',
  'saved_item_ids',
] as const;

export type Selector = (typeof SELECTORS)[number];

const MICROS = 1_000_000;

/** Several in one request are all answered. */
export function selectorsOf(fields: Fields): Set<Selector> {
  return new Set(SELECTORS.filter((selector) => fields.all(selector).length > 0));
}

export function wantedItemsOf(fields: Fields): WantedItems {
  const maxId = numberOf(fields.one('max_id')) || null;
  return {
    withIds: fields.one('with_ids') === undefined ? null : idsOf(fields, 'with_ids'),
    // Clients that page downwards may send `since_id=0` as well.
    sinceId: maxId === null ? numberOf(fields.one('since_id')) : null,
    maxId,
    feedIds: fields.one('feed_ids') === undefined ? null : idsOf(fields, 'feed_ids'),
    groupIds: fields.one('group_ids') === undefined ? null : idsOf(fields, 'group_ids'),
  };
}

/** @returns null without a valid change; clients get no error */
export function markOf(fields: Fields): Mark | null {
  const [what, as] = [fields.one('mark'), fields.one('as')];
  const ids = idsOf(fields, 'id');
  const before = fields.one('before');
  const beforeSeconds = before === undefined ? 0 : numberOf(before);
  if (!isTarget(what) || !isState(as) || ids.length === 0 || beforeSeconds === null) {
    return null;
  }
  // Feeds and groups can only be marked read.
  if (what !== 'item' && as !== 'read') {
    return null;
  }
  return { what, as, ids, upToMicros: endOf(beforeSeconds) };
}

function isTarget(what: string | undefined): what is Mark['what'] {
  return what === 'item' || what === 'feed' || what === 'group';
}

function isState(as: string | undefined): as is Mark['as'] {
  return as === 'read' || as === 'unread' || as === 'saved' || as === 'unsaved';
}

/**
 * The end of the second: items are delivered by the request whose time clients send, so most arrive in
 * that second.
 */
function endOf(seconds: number): number | null {
  return seconds === 0 ? null : clamped((seconds + 1) * MICROS - 1);
}

/** Ids separated by commas, in one or several fields; others are ignored. */
function idsOf(fields: Fields, name: string): number[] {
  const ids = fields
    .all(name)
    .flatMap((text) => text.split(','))
    .map((text) => numberOf(text));
  return [...new Set(ids.filter((id) => id !== null))];
}

/** @returns null unless it is a whole number from 0; ids of other services may be larger than any of ours */
function numberOf(text: string | undefined): number | null {
  return numberOfDigits(text?.trim());
}
