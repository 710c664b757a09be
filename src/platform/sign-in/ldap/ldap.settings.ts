import { z } from 'zod';
import {
  onOff,
  text,
  wholeNumber,
  settings,
  withSmallScheme,
} from '../../../common/config/settings.js';

const ldapUrl = z
  .url({ protocol: /^ldaps?$/, error: 'must be an address such as ldaps://ldap.example.org' })
  .overwrite(withSmallScheme)
  .refine((text) => {
    const { hostname = '', pathname = '', username = '', search = '' } = URL.parse(text) ?? {};
    return hostname !== '' && /^\/?$/.test(pathname) && username === '' && search === '';
  }, 'must have a host, and neither a path nor a user');

const attributeName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be the name of an attribute, such as uid');

/** @param gap that it must contain */
const ldapFilter = (gap: RegExp, names: string) =>
  z
    .string()
    .refine(
      (text) => /^\(.+\)$/s.test(text) && gap.test(text) && hasBalancedParentheses(text),
      `must be a filter in parentheses that contains ${names}`,
    );

/** Logins with passwords of a directory; `url` and `userBase` are empty without one. */
export class LdapSettings extends settings('GATEFOLD_LDAP_', {
  GATEFOLD_LDAP_URL: ldapUrl
    .default('')
    .describe('Directory for logins with a password, ldaps:// or ldap:// (with StartTLS)')
    .meta({ needs: 'GATEFOLD_LDAP_USER_BASE', turnsOn: 'ldap' }),
  GATEFOLD_LDAP_START_TLS: onOff
    .default(true)
    .describe('Encrypt connections to ldap:// addresses; off only within one machine'),
  GATEFOLD_LDAP_CA_FILE: text.describe(
    'PEM file with the certificates of authorities for that server',
  ),
  GATEFOLD_LDAP_BIND_DN: text
    .describe('Distinguished name with which the service searches; unset: anonymously')
    .meta({ needs: 'GATEFOLD_LDAP_BIND_PASSWORD' }),
  GATEFOLD_LDAP_BIND_PASSWORD: text
    .describe('Its password')
    .meta({ isSecret: true, needs: 'GATEFOLD_LDAP_BIND_DN' }),
  GATEFOLD_LDAP_USER_BASE: text
    .default('')
    .describe('Where users are searched')
    .meta({ needs: 'GATEFOLD_LDAP_URL' }),
  GATEFOLD_LDAP_USER_FILTER: ldapFilter(/\{login\}/, '{login}').describe(
    'Filter for users, with {login}; default: GATEFOLD_LDAP_LOGIN_ATTRIBUTE equals it',
  ),
  GATEFOLD_LDAP_LOGIN_ATTRIBUTE: attributeName
    .default('uid')
    .describe('Attribute with the user name for a first login'),
  GATEFOLD_LDAP_NAME_ATTRIBUTE: attributeName
    .default('cn')
    .describe('Attribute with the display name'),
  GATEFOLD_LDAP_MAIL_ATTRIBUTE: attributeName
    .default('mail')
    .describe('Attribute with the email address'),
  GATEFOLD_LDAP_GROUP_BASE: text.describe(
    'Where groups are searched; unset: groups are not followed',
  ),
  GATEFOLD_LDAP_GROUP_FILTER: ldapFilter(/\{(?:login|dn)\}/, '{dn} or {login}').describe(
    'Filter for the groups of a user, with {dn} or {login}; default: member or uniqueMember is {dn}, or memberUid is {login}',
  ),
  GATEFOLD_LDAP_ADMIN_GROUP: text
    .describe('Group (cn) that grants administrator rights; unset: rights are not changed')
    .meta({ needs: 'GATEFOLD_LDAP_GROUP_BASE' }),
  GATEFOLD_LDAP_LINK_ACCOUNTS: onOff
    .default(false)
    .describe('Link a first LDAP login to an existing account of the same name'),
  GATEFOLD_LDAP_CHECK_MINUTES: wholeNumber(0, 10_080)
    .default(60)
    .describe('Minutes between checks whether the users are still in the directory; 0: none'),
}) {
  get filterOfUsers(): string {
    return this.userFilter ?? `(${this.loginAttribute}={login})`;
  }
}

function hasBalancedParentheses(text: string): boolean {
  const less = text.replaceAll(/\([^()]*\)/g, '');
  return less === text ? !/[()]/.test(text) : hasBalancedParentheses(less);
}
