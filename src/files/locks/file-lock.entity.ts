import { defineEntity, p } from '@mikro-orm/core';

const FileLockSchema = defineEntity({
  name: 'FileLockEntity',
  tableName: 'file_lock',
  properties: {
    token: p.uuid().primary(),
    userId: p.text(),
    nodeId: p.bigint('number'),
    isDeep: p.boolean(),
    owner: p.text(),
    expiresAt: p.datetime(),
  },
});

export class FileLockEntity extends FileLockSchema.class {}

FileLockSchema.setClass(FileLockEntity);
