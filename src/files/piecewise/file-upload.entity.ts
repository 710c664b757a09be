import { defineEntity, p } from '@mikro-orm/core';

const FileUploadSchema = defineEntity({
  name: 'FileUploadEntity',
  tableName: 'file_upload',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('by default as identity'),
    userId: p.text(),
    name: p.text(),
    touchedAt: p.datetime().defaultRaw('now()'),
  },
});

export class FileUploadEntity extends FileUploadSchema.class {}

FileUploadSchema.setClass(FileUploadEntity);
