import { entityOf, p } from '../../../database/entity-of.js';

/** An object store that has, or had, contents of this installation. */
export class FileStoreEntity extends entityOf('file_store', {
  /** Stored in the marker object of the bucket, too. */
  id: p.uuid().primary(),
  /** `s3://bucket/prefix`. */
  address: p.text(),
  createdAt: p.datetime().defaultRaw('now()'),
}) {}

/** Content that is in an object store. All other content is in the folder. */
export class FileBlobPlaceEntity extends entityOf('file_blob_place', {
  blobId: p.uuid().primary(),
  storeId: p.uuid(),
}) {}

/**
 * Bytes that may be in a store without being the content of a file there: of an upload or a copy in
 * progress, or left after a move. Deleted when they are due, unless they have become content by then.
 */
export class FileBlobLeftoverEntity extends entityOf('file_blob_leftover', {
  id: p.bigint('number').primary().autoincrement().generated('by default as identity'),
  blobId: p.uuid(),
  /** Null for the folder. */
  storeId: p.uuid().strictNullable(),
  dueAt: p.datetime(),
}) {}

/** Content that no node refers to: an upload in progress, or content that was overwritten or deleted. */
export class FileBlobUnreferencedEntity extends entityOf('file_blob_unreferenced', {
  blobId: p.uuid().primary(),
  since: p.datetime().defaultRaw('now()'),
}) {}

/** The single row of facts about this installation. */
export class InstallationEntity extends entityOf('installation', {
  /** Always true: the key that keeps the table at one row. */
  onlyOne: p.boolean().primary().default(true),
  /** Clients append it to file ids. */
  instanceId: p.text(),
  /** The id in the marker file of the content folder; null before its first use. */
  filesMarker: p.text().strictNullable(),
}) {}
