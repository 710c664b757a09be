import { createHash } from 'node:crypto';
import { DomainError } from '../../common/errors/domain-error.js';
import { withoutControls } from '../feed-parser/html/character-references.js';
import { pageAddress } from '../query/page-address.js';
import { pageKey } from '../reader/search/address-token.js';
import { feedAddress } from '../sources/feed-address.js';
import type { ImportedFeed, ImportedRow } from './imported-row.js';

/** The address of a feed as it is stored; null unless it can be followed. */
export function feedUrlOf(url: string | null): string | null {
  try {
    return url === null ? null : feedAddress(url).href;
  } catch (error) {
    if (error instanceof DomainError) {
      return null;
    }
    throw error;
  }
}

/** What spellings of a website have in common. */
export const siteKey = (url: string): string => pageKey(url)?.replace(/\/+$/, '') ?? url;

/** What identifies a feed in the files of one program; empty if it says nothing of it. */
export const feedKey = ({ url, siteUrl, title }: ImportedFeed): string =>
  feedUrlOf(url) ?? url ?? (siteUrl === null ? (title ?? '') : siteKey(siteUrl));

/** What identifies an article among files: SHA-256 of its guid in its feed, or of its address. */
export function identityOf({ guid, feed, url }: ImportedRow): Buffer {
  const parts =
    guid === null
      ? ['page', (url !== null && pageKey(url)) || url || '']
      : ['guid', feed === null ? '' : feedKey(feed), guidText(guid)];
  return createHash('sha256').update(parts.join('\0')).digest();
}

/** The guid of a row that is stored anew. */
export function guidOf({ guid, url }: ImportedRow): string {
  return guid === null ? pageAddress(url ?? '') : guidText(guid);
}

function guidText(guid: NonNullable<ImportedRow['guid']>): string {
  return guid.kind === 'plain'
    ? withoutControls(guid.guid).trim()
    : `${guid.kind}:${guid.hash.toLowerCase()}`;
}

/** What a row and an article have in common if the program hashed the article's guid; null without a hash. */
export function hashKey(guid: ImportedRow['guid']): string | null {
  return guid === null || guid.kind === 'plain'
    ? null
    : guid.kind === 'miniflux'
      ? guid.hash.toLowerCase()
      : `${guid.userId ?? ''} ${guid.hash.toLowerCase()}`;
}

/** The keys of an article. @param userIds of tt-rss */
export function hashKeysOf(
  { guid, url }: { readonly guid: string; readonly url: string | null },
  userIds: ReadonlySet<string>,
): string[] {
  const sha = (algorithm: string, text: string) => createHash(algorithm).update(text).digest('hex');
  return [
    ...[guid, `${guid}|${url}`, url ?? guid].map((text) => sha('sha256', text)),
    ` ${sha('sha1', guid)}`,
    ...Array.from(userIds, (id) => `${id} ${sha('sha1', `${id},${guid}`)}`),
  ];
}
