import { defineEntity, p } from '@mikro-orm/core';

const FileUploadPieceSchema = defineEntity({
  name: 'FileUploadPieceEntity',
  tableName: 'file_upload_piece',
  properties: {
    uploadId: p.bigint('number').primary(),
    /** Begins with digits, which give its position. */
    name: p.text().primary(),
    sizeBytes: p.bigint('number'),
    blobId: p.uuid(),
  },
});

/** One stored piece of an upload. */
export class FileUploadPieceEntity extends FileUploadPieceSchema.class {}

FileUploadPieceSchema.setClass(FileUploadPieceEntity);
