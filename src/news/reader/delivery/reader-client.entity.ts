import { defineEntity, p } from '@mikro-orm/core';

const ReaderClientSchema = defineEntity({
  name: 'ReaderClientEntity',
  tableName: 'reader_client',
  properties: {
    readerId: p.bigint('number').primary(),
    client: p.text().primary(),
    synchronisedMicros: p.bigint('number'),
    seenAt: p.datetime().defaultRaw('now()'),
  },
});

export class ReaderClientEntity extends ReaderClientSchema.class {}

ReaderClientSchema.setClass(ReaderClientEntity);
