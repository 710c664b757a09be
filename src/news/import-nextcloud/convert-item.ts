import { cleanHtml } from '../feed-parser/html/clean-html.js';
import { cutAt, onOneLine } from '../feed-parser/html/plain-text.js';
import { identify } from '../feed-parser/items/item-identity.js';
import {
  CONTENT_COLUMNS,
  type ArticleContent,
  type ContentColumn,
} from '../feed-parser/items/parsed-item.js';
import { itemAddress, webAddress } from '../feed-parser/web-address.js';
import type { ItemRow } from './exported-rows.js';

/** Columns that Nextcloud News does not have. */
const MISSING = Object.fromEntries(CONTENT_COLUMNS.map((name) => [name, null])) as Record<
  ContentColumn,
  null
>;

const LONGEST_LINE = 1_000;
const LONGEST_MIME = 200;
const MICROS_PER_SECOND = 1_000_000;

/**
 * Converts an exported item into an article. Its HTML is cleaned again. The guid is kept, so that
 * clients and the next fetch identify the entry by the same hash.
 *
 * @param feedAddress fallback base of relative addresses
 */
export function convertItem(row: ItemRow, feedAddress: string): ArticleContent {
  const url = itemAddress(row.url, feedAddress);
  const base = url !== null && URL.canParse(url) && url.startsWith('http') ? url : feedAddress;
  const enclosureLink = webAddress(row.enclosureLink, base);
  const stored = {
    guid: row.guid ?? row.url ?? String(row.id),
    url,
    title: lineOf(row.title),
    author: lineOf(row.author),
    body: row.body === null ? '' : cleanHtml(row.body, base),
    enclosureMime:
      enclosureLink === null ? null : (row.enclosureMime?.slice(0, LONGEST_MIME) ?? null),
    enclosureLink,
  };
  return {
    ...MISSING,
    ...stored,
    ...identify(stored),
    pubDateSeconds: row.pubDateSeconds ?? Math.floor(row.lastModifiedMicros / MICROS_PER_SECOND),
    updatedDateSeconds: row.updatedDateSeconds,
    mediaThumbnail: webAddress(row.mediaThumbnail, base),
    mediaDescription:
      row.mediaDescription === null ? null : cleanHtml(row.mediaDescription, base) || null,
    rtl: row.rtl,
    extras: null,
  };
}

function lineOf(text: string | null): string | null {
  return text === null ? null : cutAt(onOneLine(text), LONGEST_LINE) || null;
}
