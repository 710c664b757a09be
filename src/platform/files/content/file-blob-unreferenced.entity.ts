import { defineEntity, p } from '@mikro-orm/core';

const FileBlobUnreferencedSchema = defineEntity({
  name: 'FileBlobUnreferencedEntity',
  tableName: 'file_blob_unreferenced',
  properties: {
    blobId: p.uuid().primary(),
    since: p.datetime().defaultRaw('now()'),
  },
});

/** Content that no node refers to: an upload in progress, or content that was overwritten or deleted. */
export class FileBlobUnreferencedEntity extends FileBlobUnreferencedSchema.class {}

FileBlobUnreferencedSchema.setClass(FileBlobUnreferencedEntity);
