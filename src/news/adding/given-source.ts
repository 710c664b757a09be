import { createHash } from 'node:crypto';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { checkedTitle } from '../reader/feeds/feeds.service.js';
import type { GivenSource } from './given-feeds.repository.js';

/** The adder of items: an external app for the user, or the user if absent. */
export interface Adder {
  readonly reader: Reader;
  readonly app: { readonly appId: string; readonly name: string } | null;
}

/** Addresses of sources that are not fetched begin with it. */
export const GIVEN = 'https://added.invalid/';

/** Those of imports. */
export const IMPORTED = `${GIVEN}imported/`;

/** Title of a user's feed of added items without a given name. */
const SAVED = 'Saved pages';

/**
 * The address is of the domain that is reserved for names that never exist (RFC 2606): clients that parse
 * addresses accept it, and no server answers there. The key is not its hash, so the source cannot be
 * followed by its address.
 */
export function givenSource({ reader, app }: Adder, feedTitle: string | null): GivenSource {
  const { userId } = reader;
  const name = feedTitle === null ? '' : checkedTitle(feedTitle).toWellFormed();
  const path = [app?.appId ?? 'saved', name].filter(Boolean).map(encodeURIComponent).join('/');
  const key = ['given', userId, app?.appId ?? '', name].join('\0');
  return {
    urlKey: createHash('sha256').update(key).digest(),
    url: `${GIVEN}${path}`,
    title: name || (app?.name ?? SAVED),
    userId,
  };
}

/** A source of what an import brings. @param key of a feed in the files of one program; empty for all others */
export function importedSource(
  userId: string,
  program: string,
  key: string,
  title: string,
): GivenSource {
  const path = [program, ...(key === '' ? [] : [title])].map(encodeURIComponent).join('/');
  return {
    urlKey: createHash('sha256').update(['imported', userId, program, key].join('\0')).digest(),
    url: `${IMPORTED}${path}`,
    title,
    userId,
  };
}
