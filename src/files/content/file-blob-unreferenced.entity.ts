import { defineEntity, p } from '@mikro-orm/core';

const FileBlobUnreferencedSchema = defineEntity({
  name: 'FileBlobUnreferencedEntity',
  tableName: 'file_blob_unreferenced',
  properties: {
    blobId: p.uuid().primary(),
    since: p.datetime().defaultRaw('now()'),
  },
});

export class FileBlobUnreferencedEntity extends FileBlobUnreferencedSchema.class {}

FileBlobUnreferencedSchema.setClass(FileBlobUnreferencedEntity);
