import { entityOf, p } from '../../../database/entity-of.js';

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

/** A user's permanent id at a provider. */
export type OidcIdentity = Readonly<Pick<OidcIdentityEntity, 'issuer' | 'subject'>>;

/** The login at a provider with which a session began. */
export class OidcSessionEntity extends entityOf('oidc_session', {
  sessionId: p.bigint('number').primary(),
  /** ID token, sealed by `SecretBox`; sent to the provider at logout. */
  sealedIdToken: p.blob().$type<Buffer>(),
  issuer: p.text().strictNullable(),
  /** The provider's id of the login. */
  sid: p.text().strictNullable(),
}) {}
