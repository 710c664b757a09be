import type { EventNode, NodeEvent, NodeEventSubtype } from '../../common/ports/node-events.js';

/** The one type of events there is. */
export const NODE_EVENT = 'node_event';

/** What a listener's handler is sent. */
export interface EventPayload {
  readonly event_type: typeof NODE_EVENT;
  readonly event_subtype: NodeEventSubtype;
  readonly event_data: { readonly target: NodeJson; readonly source?: NodeJson };
}

/** A node in the words of the file actions; apps check that numbers are whole. */
export interface NodeJson {
  readonly fileId: number;
  readonly name: string;
  readonly directory: string;
  readonly etag: string;
  readonly mime: string;
  readonly fileType: 'file' | 'dir';
  readonly mtime: number;
  readonly size: number;
  readonly favorite: 'true' | 'false';
  readonly permissions: number;
  readonly userId: string;
  readonly instanceId: string;
  readonly shareOwner: string | null;
  readonly shareOwnerId: string | null;
  readonly shareTypes: number | null;
  readonly shareAttributes: number | null;
  readonly sharePermissions: number | null;
}

export function toEventPayload({ subtype, target, source }: NodeEvent): EventPayload {
  return {
    event_type: NODE_EVENT,
    event_subtype: subtype,
    event_data: {
      target: toNodeJson(target),
      ...(source && { source: toNodeJson(source) }),
    },
  };
}

export function toNodeJson(node: EventNode): NodeJson {
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
