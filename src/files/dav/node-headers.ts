import type { Response } from 'express';
import type { StoredNode } from '../tree/nodes.repository.js';
import { publicId } from '../properties/properties.js';

/** Tells a client what it has just made, so that it need not ask. */
export function setNodeHeaders(response: Response, node: StoredNode, instanceId: string): void {
  response.set({
    ETag: `"${node.etag}"`,
    'OC-ETag': `"${node.etag}"`,
    'OC-FileId': publicId(node.id, instanceId),
  });
}
