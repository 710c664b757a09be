import { entityOf, p } from '../../../database/entity-of.js';

/** An object store that has, or had, contents of this installation. */
export class FileStoreEntity extends entityOf('file_store', {
  /** Also in the marker object of the bucket. */
  id: p.uuid().primary(),
  /** `s3://bucket/prefix`. */
  address: p.text(),
  createdAt: p.datetime().defaultRaw('now()'),
}) {}
