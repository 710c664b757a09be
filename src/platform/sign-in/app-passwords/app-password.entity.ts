import { entityOf, p } from '../../../database/entity-of.js';
import type { AppPasswordScope } from '../../../common/ports/app-password-scope.js';

/** A password for one program of a user, which can be revoked by itself. */
export class AppPasswordEntity extends entityOf('app_password', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  userId: p.text(),
  name: p.text(),
  /** SHA-256 of the token. */
  tokenHash: p.blob().$type<Buffer>(),
  /** Gives the program the administrator rights of its user. */
  mayAdminister: p.boolean().default(false),
  /** Lookup key of the program that got it for the account password; unique per user. */
  program: p.text().strictNullable(),
  /** The token; only with `program`. */
  sealedToken: p.blob().$type<Buffer>().strictNullable(),
  /** SHA-256 of the key of the Fever API; null without one. */
  feverKeyHash: p.blob().$type<Buffer>().strictNullable(),
  scope: p.text().$type<AppPasswordScope>().default('everything'),
  /** Null: until it is revoked. */
  expiresAt: p.datetime().strictNullable(),
  createdAt: p.datetime().defaultRaw('now()'),
  lastUsedAt: p.datetime().strictNullable(),
}) {}
