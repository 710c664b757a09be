import { Injectable } from '@nestjs/common';
import { FileContents, type FileContent } from '../../../common/ports/file-contents.js';
import { NodesRepository } from '../tree/nodes.repository.js';
import { openedLater } from '../stores/opened-later.js';
import { ContentService } from './content.service.js';

/** Users' files for other rooms. */
@Injectable()
export class FileContentsService extends FileContents {
  constructor(
    private readonly nodes: NodesRepository,
    private readonly content: ContentService,
  ) {
    super();
  }

  override async find(userId: string, fileId: number): Promise<FileContent | null> {
    const [node] = await this.nodes.findWithPaths(userId, [fileId]);
    if (node === undefined || node.blobId === null) {
      return null;
    }
    const { name, mime, sizeBytes, blobId } = node;
    const read: FileContent['read'] = (part) => openedLater(() => this.content.read(blobId, part));
    return { name, mime, sizeBytes, read };
  }
}
