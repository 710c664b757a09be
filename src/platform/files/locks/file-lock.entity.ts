import { defineEntity, p } from '@mikro-orm/core';

const FileLockSchema = defineEntity({
  name: 'FileLockEntity',
  tableName: 'file_lock',
  properties: {
    token: p.uuid().primary(),
    userId: p.text(),
    nodeId: p.bigint('number'),
    /** Whether it also covers everything below the node. */
    isDeep: p.boolean(),
    /** XML that the client sent and reads back. */
    owner: p.text(),
    expiresAt: p.datetime(),
  },
});

/** An exclusive write lock (RFC 4918). */
export class FileLockEntity extends FileLockSchema.class {}

FileLockSchema.setClass(FileLockEntity);
