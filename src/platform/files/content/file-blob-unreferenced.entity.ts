import { entityOf, p } from '../../../database/entity-of.js';

/** Content that no node refers to: an upload in progress, or content that was overwritten or deleted. */
export class FileBlobUnreferencedEntity extends entityOf('file_blob_unreferenced', {
  blobId: p.uuid().primary(),
  since: p.datetime().defaultRaw('now()'),
}) {}
