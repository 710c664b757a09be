import { entityOf, p } from '../../../database/entity-of.js';
import type { OidcIdentityEntity } from '../../accounts/users/account-links.entities.js';

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
