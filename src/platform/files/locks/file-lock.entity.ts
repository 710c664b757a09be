import { entityOf, p } from '../../../database/entity-of.js';

/** An exclusive write lock (RFC 4918). */
export class FileLockEntity extends entityOf('file_lock', {
  token: p.uuid().primary(),
  userId: p.text(),
  nodeId: p.bigint('number'),
  /** Whether it also covers everything below the node. */
  isDeep: p.boolean(),
  /** XML that the client sent and reads back. */
  owner: p.text(),
  expiresAt: p.datetime(),
}) {}
