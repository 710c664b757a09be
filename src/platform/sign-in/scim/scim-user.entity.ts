import { defineEntity, p } from '@mikro-orm/core';

const ScimUserSchema = defineEntity({
  name: 'ScimUserEntity',
  tableName: 'scim_user',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    userId: p.text().unique(),
    externalId: p.text().nullable(),
    givenName: p.text().nullable(),
    familyName: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    changedAt: p.datetime().defaultRaw('now()'),
  },
});

/** An account that a provisioning service manages. */
export class ScimUserEntity extends ScimUserSchema.class {}

ScimUserSchema.setClass(ScimUserEntity);
