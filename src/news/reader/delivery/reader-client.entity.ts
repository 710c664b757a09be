import { defineEntity, p } from '@mikro-orm/core';

const ReaderClientSchema = defineEntity({
  name: 'ReaderClientEntity',
  tableName: 'reader_client',
  properties: {
    readerId: p.bigint('number').primary(),
    /** `RequestingClient.key` */
    client: p.text().primary(),
    /** The newest stamp that the client has read, unix microseconds. */
    synchronisedMicros: p.bigint('number'),
    seenAt: p.datetime().defaultRaw('now()'),
  },
});

/** How far one client program of a user has synchronised. */
export class ReaderClientEntity extends ReaderClientSchema.class {}

ReaderClientSchema.setClass(ReaderClientEntity);
