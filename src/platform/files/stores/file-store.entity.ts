import { defineEntity, p } from '@mikro-orm/core';

const FileStoreSchema = defineEntity({
  name: 'FileStoreEntity',
  tableName: 'file_store',
  properties: {
    /** Also in the marker object of the bucket. */
    id: p.uuid().primary(),
    /** `s3://bucket/prefix`. */
    address: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** An object store that has, or had, contents of this installation. */
export class FileStoreEntity extends FileStoreSchema.class {}

FileStoreSchema.setClass(FileStoreEntity);
