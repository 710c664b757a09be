import { entityOf, p } from '../../../database/entity-of.js';

/** An account whose password a directory verifies. */
export class LdapAccountEntity extends entityOf('ldap_account', {
  userId: p.text().primary(),
  /** Permanent id of the entry, see `entryIdOf`. */
  entryId: p.text().unique(),
  toldName: p.text().strictNullable(),
  toldEmail: p.text().strictNullable(),
  /** When the account was disabled because the directory had no entry; equal to the account's own time. */
  disabledAt: p.datetime().strictNullable(),
  createdAt: p.datetime().defaultRaw('now()'),
}) {}

/** A user of an OpenID Connect provider, linked to an account. */
export class OidcIdentityEntity extends entityOf('oidc_identity', {
  issuer: p.text().primary(),
  subject: p.text().primary(),
  userId: p.text(),
  createdAt: p.datetime().defaultRaw('now()'),
  toldName: p.text().strictNullable(),
  /** Email that the provider sent last. */
  toldEmail: p.text().strictNullable(),
}) {}

/** An account that a provisioning service manages. */
export class ScimUserEntity extends entityOf('scim_user', {
  id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
  userId: p.text().unique(),
  externalId: p.text().nullable(),
  givenName: p.text().nullable(),
  familyName: p.text().nullable(),
  createdAt: p.datetime().defaultRaw('now()'),
  changedAt: p.datetime().defaultRaw('now()'),
}) {}
