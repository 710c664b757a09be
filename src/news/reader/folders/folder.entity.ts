import { defineEntity, p } from '@mikro-orm/core';

const FolderSchema = defineEntity({
  name: 'FolderEntity',
  tableName: 'folder',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    readerId: p.bigint('number'),
    name: p.text(),
    deletedAt: p.datetime().strictNullable(),
  },
});

export class FolderEntity extends FolderSchema.class {}

FolderSchema.setClass(FolderEntity);
