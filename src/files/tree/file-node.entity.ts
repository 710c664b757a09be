import { defineEntity, p } from '@mikro-orm/core';

const FileNodeSchema = defineEntity({
  name: 'FileNodeEntity',
  tableName: 'file_node',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('by default as identity'),
    userId: p.text().strictNullable(),
    parentId: p.bigint('number').strictNullable(),
    name: p.text(),
    isFolder: p.boolean(),
    mime: p.text(),
    sizeBytes: p.bigint('number').default(0),
    etag: p.text(),
    mtimeSeconds: p.bigint('number'),
    createdSeconds: p.bigint('number').default(0),
    uploadedSeconds: p.bigint('number').default(0),
    favorite: p.boolean().default(false),
    blobId: p.uuid().strictNullable(),
    checksum: p.text().default(''),
    deadProperties: p.json().$type<unknown>().defaultRaw("'{}'::jsonb"),
    nodeCount: p.bigint('number').default(0),
  },
});

export class FileNodeEntity extends FileNodeSchema.class {}

FileNodeSchema.setClass(FileNodeEntity);
