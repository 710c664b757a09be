import { defineEntity, p } from '@mikro-orm/core';

const ReaderSchema = defineEntity({
  name: 'ReaderEntity',
  tableName: 'reader',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    userId: p.text(),
    nextItemId: p.bigint('number').default(1),
    lastModifiedMicros: p.bigint('number').default(0),
    watchedUntil: p.datetime().strictNullable(),
  },
});

export class ReaderEntity extends ReaderSchema.class {}

ReaderSchema.setClass(ReaderEntity);
