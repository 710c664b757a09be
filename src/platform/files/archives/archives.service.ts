import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { BlobStore } from '../content/blob-store.js';
import { isCompressed } from '../tree/file-kinds.js';
import { nameOf, type FilePath } from '../tree/file-path.js';
import { FilesService } from '../tree/files.service.js';
import type { StoredNode } from '../tree/nodes.sql.js';
import { TreeLimits } from '../tree/tree-limits.js';
import { zip, type ZipEntry } from './zip.js';

export interface Archive {
  /** File name of the download. */
  readonly name: string;
  /** Starts creating the archive. */
  readonly open: () => Readable;
}

/** Files and folders as ZIP archives, created while they are sent. */
@Injectable()
export class ArchivesService {
  constructor(
    private readonly files: FilesService,
    private readonly blobs: BlobStore,
    private readonly treeLimits: TreeLimits,
  ) {}

  /**
   * Archives a file, or a folder with everything below it.
   *
   * @throws FileNotFound, TreeTooLarge, ContentFolderMissing, ContentStoreAway
   */
  async archive(userId: string, path: FilePath): Promise<Archive> {
    const { node } = await this.files.locate(userId, path);
    this.treeLimits.assertWithinRequestLimit(node.nodeCount);
    await this.blobs.assertPresent();
    // The top folder has no name; its members are at the top of the archive.
    return { name: `${nameOf(path) || userId}.zip`, open: () => zip(this.#entries(node, '')) };
  }

  async *#entries(node: StoredNode, above: string): AsyncGenerator<ZipEntry, void, undefined> {
    const { mime, mtimeSeconds, sizeBytes, blobId } = node;
    if (blobId !== null) {
      const open = () => this.blobs.read(blobId);
      const content = { mtimeSeconds, sizeBytes, isCompressed: isCompressed(mime), open };
      yield { name: above + node.name, ...content };
      return;
    }
    const name = node.parentId === null ? '' : `${above}${node.name}/`;
    if (name !== '') {
      yield { name, mtimeSeconds, sizeBytes: 0, isCompressed: false, open: null };
    }
    for await (const members of this.files.members(node, false)) {
      for (const member of members) {
        yield* this.#entries(member, name);
      }
    }
  }
}
