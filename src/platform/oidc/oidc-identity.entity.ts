import { defineEntity, p } from '@mikro-orm/core';

const OidcIdentitySchema = defineEntity({
  name: 'OidcIdentityEntity',
  tableName: 'oidc_identity',
  properties: {
    issuer: p.text().primary(),
    subject: p.text().primary(),
    userId: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
    toldName: p.text().strictNullable(),
    toldEmail: p.text().strictNullable(),
  },
});

export class OidcIdentityEntity extends OidcIdentitySchema.class {}

OidcIdentitySchema.setClass(OidcIdentityEntity);
