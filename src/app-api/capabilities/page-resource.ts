import { z } from 'zod';
import { handler, name } from '../field-schemas.js';

/** The page that an initial state, a script or a style belongs to. */
export const pageFields = {
  /** `top_menu`; there is no other type of page. */
  type: name(16),
  /** Name of the menu entry, which may be registered later. */
  name: name(32),
};

/** A script or style, without the extension of its file. */
export const pageFileFields = { ...pageFields, path: handler(410) };

const pageFile = z.object(pageFileFields);

export const pageFileKey = pageFile.transform(keyOfPageFile);

export function keyOfPageFile({ type, name, path }: z.output<typeof pageFile>): string {
  return compoundKey(type, name, path);
}

/** A lookup key made of several fields. */
export function compoundKey(...parts: readonly string[]): string {
  return parts.join('\u0001');
}

/** What the keys of the resources of a menu entry's page start with. */
export function pageKeyPrefix(menuEntry: string): string {
  return compoundKey('top_menu', menuEntry, '');
}
