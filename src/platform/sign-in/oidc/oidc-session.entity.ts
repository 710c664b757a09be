import { defineEntity, p } from '@mikro-orm/core';

const OidcSessionSchema = defineEntity({
  name: 'OidcSessionEntity',
  tableName: 'oidc_session',
  properties: {
    sessionId: p.bigint('number').primary(),
    /** ID token, sealed by `SecretBox`; sent to the provider at logout. */
    sealedIdToken: p.blob().$type<Buffer>(),
    issuer: p.text().strictNullable(),
    /** The provider's id of the login. */
    sid: p.text().strictNullable(),
  },
});

/** The login at a provider with which a session began. */
export class OidcSessionEntity extends OidcSessionSchema.class {}

OidcSessionSchema.setClass(OidcSessionEntity);
