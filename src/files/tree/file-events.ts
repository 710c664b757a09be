import { Injectable } from '@nestjs/common';
import {
  NodeEvents,
  type EventNode,
  type NodeEventSubtype,
} from '../../common/ports/node-events.js';
import type { SqlRunner } from '../../database/database.js';
import { nameOf, parentOf, toText, type FilePath } from './file-path.js';
import { InstallationRepository } from '../installation/installation.repository.js';
import type { StoredNode } from './nodes.repository.js';

/** Read, update, delete and share: owners may do with a file whatever can be done with one. */
const FILE_PERMISSIONS = 1 | 2 | 8 | 16;
const FOLDER_PERMISSIONS = FILE_PERMISSIONS | 4;

interface FileEventDetails {
  readonly node: StoredNode;
  readonly path: FilePath;
  /** Where it was before, or what it was copied from. */
  readonly source?: { readonly node: StoredNode; readonly path: FilePath };
}

/** Makes known to the other rooms what happens to files, in the transaction in which it happens. */
@Injectable()
export class FileEvents {
  constructor(
    private readonly nodeEvents: NodeEvents,
    private readonly installation: InstallationRepository,
  ) {}

  async publish(
    tx: SqlRunner,
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

/** What other rooms know about a file or folder. */
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
