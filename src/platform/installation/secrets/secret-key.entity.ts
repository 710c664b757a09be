import { defineEntity, p } from '@mikro-orm/core';

const SecretKeySchema = defineEntity({
  name: 'SecretKeyEntity',
  tableName: 'secret_key',
  properties: {
    /** Always true: the primary key that allows one row only. */
    isOnly: p.boolean().primary().default(true),
    /** Identifies the key without revealing it. */
    fingerprint: p.text(),
    acceptedAt: p.datetime().defaultRaw('now()'),
  },
});

/** The secret key that belongs to this database: one row. */
export class SecretKeyEntity extends SecretKeySchema.class {}

SecretKeySchema.setClass(SecretKeyEntity);
