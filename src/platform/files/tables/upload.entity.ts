import { entityOf, p } from '../../../database/entity-of.js';

/** An upload in pieces that has not finished. */
export class FileUploadEntity extends entityOf('file_upload', {
  id: p.bigint('number').primary().autoincrement().generated('by default as identity'),
  userId: p.text(),
  /** Chosen by the client. */
  name: p.text(),
  /** When the last piece was stored. */
  touchedAt: p.datetime().defaultRaw('now()'),
}) {}

export class FileUploadPieceEntity extends entityOf('file_upload_piece', {
  uploadId: p.bigint('number').primary(),
  /** Begins with digits, which give its position. */
  name: p.text().primary(),
  sizeBytes: p.bigint('number'),
  blobId: p.uuid(),
}) {}
