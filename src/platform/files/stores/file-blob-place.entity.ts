import { defineEntity, p } from '@mikro-orm/core';

const FileBlobPlaceSchema = defineEntity({
  name: 'FileBlobPlaceEntity',
  tableName: 'file_blob_place',
  properties: {
    blobId: p.uuid().primary(),
    storeId: p.uuid(),
  },
});

/** Content that is in an object store. All other content is in the folder. */
export class FileBlobPlaceEntity extends FileBlobPlaceSchema.class {}

FileBlobPlaceSchema.setClass(FileBlobPlaceEntity);
