import { defineEntity, p } from '@mikro-orm/core';

const FileUploadSchema = defineEntity({
  name: 'FileUploadEntity',
  tableName: 'file_upload',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('by default as identity'),
    userId: p.text(),
    /** Chosen by the client. */
    name: p.text(),
    /** When the last piece was stored. */
    touchedAt: p.datetime().defaultRaw('now()'),
  },
});

/** An upload in pieces that has not finished. */
export class FileUploadEntity extends FileUploadSchema.class {}

FileUploadSchema.setClass(FileUploadEntity);
