import { defineEntity, p } from '@mikro-orm/core';

const OidcSessionSchema = defineEntity({
  name: 'OidcSessionEntity',
  tableName: 'oidc_session',
  properties: {
    sessionId: p.bigint('number').primary(),
    sealedIdToken: p.blob(),
    issuer: p.text().strictNullable(),
    sid: p.text().strictNullable(),
  },
});

export class OidcSessionEntity extends OidcSessionSchema.class {}

OidcSessionSchema.setClass(OidcSessionEntity);
