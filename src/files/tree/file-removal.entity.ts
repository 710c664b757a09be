import { defineEntity, p } from '@mikro-orm/core';

const FileRemovalSchema = defineEntity({
  name: 'FileRemovalEntity',
  tableName: 'file_removal',
  properties: {
    rootId: p.bigint('number').primary(),
    userId: p.text(),
    nodeCount: p.bigint('number'),
  },
});

export class FileRemovalEntity extends FileRemovalSchema.class {}

FileRemovalSchema.setClass(FileRemovalEntity);
