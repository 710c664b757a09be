import { entityOf, p } from '../../../database/entity-of.js';

/** One stored piece of an upload. */
export class FileUploadPieceEntity extends entityOf('file_upload_piece', {
  uploadId: p.bigint('number').primary(),
  /** Begins with digits, which give its position. */
  name: p.text().primary(),
  sizeBytes: p.bigint('number'),
  blobId: p.uuid(),
}) {}
