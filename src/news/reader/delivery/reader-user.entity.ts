import { defineEntity, p } from '@mikro-orm/core';

const ReaderUserSchema = defineEntity({
  name: 'ReaderUserEntity',
  tableName: 'reader_user',
  properties: {
    userId: p.text().primary(),
    readerId: p.bigint('number'),
    /** As `ReaderEntity.watchedUntil`, for changes of sources. */
    watchedUntil: p.datetime().strictNullable(),
  },
});

/** Which reader a user is. Stays on the coordinator when readers are distributed. */
export class ReaderUserEntity extends ReaderUserSchema.class {}

ReaderUserSchema.setClass(ReaderUserEntity);
