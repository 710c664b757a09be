import { defineEntity, p } from '@mikro-orm/core';

const RecoveryCodeSchema = defineEntity({
  name: 'RecoveryCodeEntity',
  tableName: 'recovery_code',
  properties: {
    userId: p.text().primary(),
    /** SHA-256. */
    codeHash: p.blob().$type<Buffer>().primary(),
  },
});

/** A recovery code that was not used yet. */
export class RecoveryCodeEntity extends RecoveryCodeSchema.class {}

RecoveryCodeSchema.setClass(RecoveryCodeEntity);
