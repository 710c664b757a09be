import { Injectable } from '@nestjs/common';
import type { FileContent, FileContents } from '../../../common/ports/file-contents.js';
import { NodesRepository } from './nodes.repository.js';
import { openedLater } from '../stores/opened-later.js';
import { ContentService } from '../content/content.service.js';

/** Users' files for other rooms. */
@Injectable()
export class FileContentsService implements FileContents {
  constructor(
    private readonly nodes: NodesRepository,
    private readonly content: ContentService,
  ) {}

  async find(userId: string, fileId: number): Promise<FileContent | null> {
    const [node] = await this.nodes.findWithPaths(userId, [fileId]);
    if (node === undefined || node.blobId === null) {
      return null;
    }
    const { name, mime, sizeBytes, blobId } = node;
    const read: FileContent['read'] = (part) => openedLater(() => this.content.read(blobId, part));
    return { name, mime, sizeBytes, read };
  }
}
