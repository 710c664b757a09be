import { defineEntity, p } from '@mikro-orm/core';

const FileUploadPieceSchema = defineEntity({
  name: 'FileUploadPieceEntity',
  tableName: 'file_upload_piece',
  properties: {
    uploadId: p.bigint('number').primary(),
    name: p.text().primary(),
    sizeBytes: p.bigint('number'),
    blobId: p.uuid(),
  },
});

export class FileUploadPieceEntity extends FileUploadPieceSchema.class {}

FileUploadPieceSchema.setClass(FileUploadPieceEntity);
