import { defineEntity, p } from '@mikro-orm/core';

const FileRemovalSchema = defineEntity({
  name: 'FileRemovalEntity',
  tableName: 'file_removal',
  properties: {
    /** The node at the top of the detached tree. */
    rootId: p.bigint('number').primary(),
    userId: p.text(),
    /** Nodes in the tree when it was detached, its root included. */
    nodeCount: p.bigint('number'),
  },
});

/** A tree that was detached from its user's tree and is being removed in batches. */
export class FileRemovalEntity extends FileRemovalSchema.class {}

FileRemovalSchema.setClass(FileRemovalEntity);
