import { defineEntity, p } from '@mikro-orm/core';

const ScimGroupSchema = defineEntity({
  name: 'ScimGroupEntity',
  tableName: 'scim_group',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    groupId: p.text().unique(),
    externalId: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    changedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A group that a provisioning service manages. */
export class ScimGroupEntity extends ScimGroupSchema.class {}

ScimGroupSchema.setClass(ScimGroupEntity);
