import type { EventNode } from '../common/ports/node-events.js';

/** A node as events and file actions send it. Apps validate that numbers are whole. */
export function toNodeJson(node: EventNode) {
  const { share } = node;
  return {
    fileId: node.fileId,
    name: node.name,
    directory: node.directory,
    etag: node.etag,
    mime: node.mime,
    fileType: node.fileType,
    mtime: Math.trunc(node.mtimeSeconds),
    size: Math.trunc(node.sizeBytes),
    favorite: node.favorite ? 'true' : 'false',
    permissions: node.permissions,
    userId: node.userId,
    instanceId: node.instanceId,
    shareOwner: share?.ownerName ?? null,
    shareOwnerId: share?.ownerId ?? null,
    shareTypes: share?.types ?? null,
    shareAttributes: share?.attributes ?? null,
    sharePermissions: share?.permissions ?? null,
  };
}
