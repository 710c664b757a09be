import { entityOf, p } from '../../../database/entity-of.js';

/** Content that is in an object store. All other content is in the folder. */
export class FileBlobPlaceEntity extends entityOf('file_blob_place', {
  blobId: p.uuid().primary(),
  storeId: p.uuid(),
}) {}
