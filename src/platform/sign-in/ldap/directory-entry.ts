import { Filter, type Entry } from 'ldapts';
import type { LdapSettings } from './ldap.settings.js';

export interface DirectoryUser {
  /** Permanent id: it outlives changes of the name and the place. */
  readonly entryId: string;
  readonly dn: string;
  /** Value of the login attribute; not checked. */
  readonly login: string | undefined;
  readonly name: string | undefined;
  readonly email: string | undefined;
}

/** Attributes with a permanent id: of OpenLDAP, Active Directory, 389 Directory Server, FreeIPA. */
export const ID_ATTRIBUTES = ['entryUUID', 'objectGUID', 'nsUniqueId', 'ipaUniqueID'] as const;
/** Attributes whose values are bytes. */
export const BINARY_ATTRIBUTES = ['objectGUID'];

export function directoryUser(entry: Entry, settings: LdapSettings): DirectoryUser {
  return {
    entryId: entryIdOf(entry),
    dn: entry.dn,
    login: textOf(entry, settings.loginAttribute),
    name: textOf(entry, settings.nameAttribute),
    email: textOf(entry, settings.mailAttribute),
  };
}

/** The first text of an attribute; its name matches in any case. */
export function textOf(entry: Entry, attribute: string): string | undefined {
  const [value] = valuesOf(entry, attribute);
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

/** A filter with its gaps filled; values cannot change its structure. */
export function fillFilter(filter: string, values: { login?: string; dn?: string }): string {
  return filter.replace(/\{(login|dn)\}/g, (gap, name: 'login' | 'dn') => {
    const value = values[name];
    return value === undefined ? gap : Filter.escape(value);
  });
}

/** The filter for all users. */
export function filterForAll(filter: string): string {
  return filter.replaceAll('{login}', '*');
}

/** A directory without permanent ids: the place is the id. */
function entryIdOf(entry: Entry): string {
  for (const attribute of ID_ATTRIBUTES) {
    const [value] = valuesOf(entry, attribute);
    if (value !== undefined && value.length > 0) {
      const id = typeof value === 'string' ? value.toLowerCase() : value.toString('hex');
      return `${attribute}:${id}`;
    }
  }
  return `dn:${entry.dn.toLowerCase()}`;
}

function valuesOf(entry: Entry, attribute: string): (string | Buffer)[] {
  const name = Object.keys(entry).find((key) => key.toLowerCase() === attribute.toLowerCase());
  return name === undefined ? [] : [entry[name] ?? []].flat();
}
