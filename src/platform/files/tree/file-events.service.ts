import { Injectable } from '@nestjs/common';
import {
  NodeEvents,
  type EventNode,
  type NodeEventSubtype,
} from '../../../common/ports/node-events.js';
import type { Transaction } from '../../../database/database.js';
import { InstallationRepository } from '../stores/installation.repository.js';
import { nameOf, parentOf, toText, type FilePath } from './file-path.js';
import type { StoredNode } from './nodes.sql.js';

/** Read, update, delete and share. */
const FILE_PERMISSIONS = 1 | 2 | 8 | 16;
const FOLDER_PERMISSIONS = FILE_PERMISSIONS | 4;

interface FileEventDetails {
  readonly node: StoredNode;
  readonly path: FilePath;
  /** Source of a move or copy. */
  readonly source?: { readonly node: StoredNode; readonly path: FilePath };
}

/** Publishes changes of files to other rooms, in the transaction of the change. */
@Injectable()
export class FileEvents {
  constructor(
    private readonly nodeEvents: NodeEvents,
    private readonly installation: InstallationRepository,
  ) {}

  async publish(
    tx: Transaction,
    subtype: NodeEventSubtype,
    details: FileEventDetails,
  ): Promise<void> {
    const { node, path, source } = details;
    const instanceId = await this.installation.instanceId(tx);
    await this.nodeEvents.publish(
      {
        subtype,
        userId: node.userId,
        target: toEventNode(node, path, instanceId),
        ...(source && { source: toEventNode(source.node, source.path, instanceId) }),
      },
      tx,
    );
  }
}

export function toEventNode(node: StoredNode, path: FilePath, instanceId: string): EventNode {
  return {
    fileId: node.id,
    name: nameOf(path),
    directory: toText(parentOf(path)),
    etag: node.etag,
    mime: node.mime,
    fileType: node.isFolder ? 'dir' : 'file',
    mtimeSeconds: node.mtimeSeconds,
    sizeBytes: node.sizeBytes,
    favorite: node.favorite,
    permissions: node.isFolder ? FOLDER_PERMISSIONS : FILE_PERMISSIONS,
    userId: node.userId,
    instanceId,
  };
}
