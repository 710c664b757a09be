import { entityOf, p } from '../../../database/entity-of.js';

/** The login at a provider with which a session began. */
export class OidcSessionEntity extends entityOf('oidc_session', {
  sessionId: p.bigint('number').primary(),
  /** ID token, sealed by `SecretBox`; sent to the provider at logout. */
  sealedIdToken: p.blob().$type<Buffer>(),
  issuer: p.text().strictNullable(),
  /** The provider's id of the login. */
  sid: p.text().strictNullable(),
}) {}
