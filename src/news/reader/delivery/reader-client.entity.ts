import { entityOf, p } from '../../../database/entity-of.js';

/** How far one client program of a user has synchronised. */
export class ReaderClientEntity extends entityOf('reader_client', {
  readerId: p.bigint('number').primary(),
  /** `RequestingClient.key` */
  client: p.text().primary(),
  /** The newest stamp that the client has read, unix microseconds. */
  synchronisedMicros: p.bigint('number'),
  seenAt: p.datetime().defaultRaw('now()'),
}) {}
