import { entityOf, p } from '../../../database/entity-of.js';

/** A deleted file or folder that can be restored. */
export class FileTrashEntity extends entityOf('file_trash', {
  /** The deleted node; everything below it is still attached to it. */
  rootId: p.bigint('number').primary(),
  userId: p.text(),
  name: p.text(),
  /** The folder it was in, which may have moved or disappeared since. */
  folderId: p.bigint('number'),
  /** Names down to that folder, at the time of the deletion. */
  folderPath: p.array().$type<string[]>(),
  deletedSeconds: p.bigint('number'),
  sizeBytes: p.bigint('number'),
  /** Includes the entry's own node. */
  nodeCount: p.bigint('number'),
}) {}
