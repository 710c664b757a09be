import type { Response } from 'express';
import { publicId } from '../properties/properties.js';
import type { StoredNode } from '../tree/nodes.sql.js';

/** Saves clients a `PROPFIND` after they have created or changed a node. */
export function setNodeHeaders(response: Response, node: StoredNode, instanceId: string): void {
  response.set({
    ETag: `"${node.etag}"`,
    'OC-ETag': `"${node.etag}"`,
    'OC-FileId': publicId(node.id, instanceId),
  });
}

/** Sets the headers for an upload, and whether its time was stored. */
export function setUploadHeaders(
  response: Response,
  node: StoredNode,
  { mtimeSeconds }: { readonly mtimeSeconds: number | undefined },
  instanceId: string,
): void {
  setNodeHeaders(response, node, instanceId);
  if (mtimeSeconds !== undefined) {
    response.setHeader('X-OC-MTime', 'accepted');
  }
}
