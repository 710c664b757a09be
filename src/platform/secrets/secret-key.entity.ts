import { defineEntity, p } from '@mikro-orm/core';

const SecretKeySchema = defineEntity({
  name: 'SecretKeyEntity',
  tableName: 'secret_key',
  properties: {
    isOnly: p.boolean().primary().default(true),
    fingerprint: p.text(),
    acceptedAt: p.datetime().defaultRaw('now()'),
  },
});

export class SecretKeyEntity extends SecretKeySchema.class {}

SecretKeySchema.setClass(SecretKeyEntity);
