import { Injectable } from '@nestjs/common';
import type { FileContent, FileContents } from '../../../common/ports/file-contents.js';
import { BlobStore } from '../content/blob-store.service.js';
import { NodesRepository } from './nodes.repository.js';

/** Users' files for other rooms. */
@Injectable()
export class FileContentsService implements FileContents {
  constructor(
    private readonly nodes: NodesRepository,
    private readonly blobs: BlobStore,
  ) {}

  async find(userId: string, fileId: number): Promise<FileContent | null> {
    const [node] = await this.nodes.findWithPaths(userId, [fileId]);
    if (node === undefined || node.blobId === null) {
      return null;
    }
    const { name, mime, sizeBytes, blobId } = node;
    const read: FileContent['read'] = (part) => this.blobs.readLater(blobId, part);
    return { name, mime, sizeBytes, read };
  }
}
