import { entityOf, p } from '../../../database/entity-of.js';

/** An account whose password a directory verifies. */
export class LdapAccountEntity extends entityOf('ldap_account', {
  userId: p.text().primary(),
  /** Permanent id of the entry, see `entryIdOf`. */
  entryId: p.text().unique(),
  /** Display name that the directory had last. */
  toldName: p.text().strictNullable(),
  /** Email that the directory had last. */
  toldEmail: p.text().strictNullable(),
  /** When the account was disabled because the directory had no entry; equal to that of the account. */
  disabledAt: p.datetime().strictNullable(),
  createdAt: p.datetime().defaultRaw('now()'),
}) {}
