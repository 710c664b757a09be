/** SQL of whether anything refers to the content, or it waits for the sweep. */
export const isKept = (blobId: string): string => `(
  exists (select from file_node where blob_id = ${blobId})
  or exists (select from file_upload_piece where blob_id = ${blobId})
  or exists (select from file_blob_unreferenced where blob_id = ${blobId}))`;
