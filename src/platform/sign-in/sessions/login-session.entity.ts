import { entityOf, p } from '../../../database/entity-of.js';

/** How the user of a session logged in. */
export type SessionProvider = 'password' | 'passkey' | 'oidc' | 'header';

/** A browser in which a user is logged in. */
export class LoginSessionEntity extends entityOf('login_session', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  userId: p.text(),
  /** SHA-256 of the cookie's value. */
  tokenHash: p.blob().$type<Buffer>(),
  provider: p.text().$type<SessionProvider>(),
  userAgent: p.text(),
  /** Client address of the latest request that updated `lastSeenAt`. */
  address: p.text(),
  createdAt: p.datetime(),
  lastSeenAt: p.datetime(),
  expiresAt: p.datetime(),
  /** When the user last proved who they are; null: not since the login. */
  provenAt: p.datetime().strictNullable(),
}) {}
