import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Shares } from '../../../common/http/shares.js';
import { BlobStore } from '../content/blob-store.js';
import { ArchivesOffer } from '../dav/archives-offer.js';
import { isCompressed } from '../tree/file-kinds.js';
import { nameOf, type FilePath } from '../tree/file-path.js';
import { FilesService } from '../tree/files.service.js';
import type { StoredNode } from '../tree/nodes.sql.js';
import { TreeLimits } from '../tree/tree-limits.js';
import { sendArchive } from './send-archive.js';
import { zip, type ZipEntry } from './zip.js';

/** Files and folders as ZIP archives, created while they are sent. */
@Injectable()
export class ArchivesService {
  constructor(
    private readonly files: FilesService,
    private readonly blobs: BlobStore,
    private readonly treeLimits: TreeLimits,
    private readonly shares: Shares,
    offer: ArchivesOffer,
  ) {
    offer.fill(this);
  }

  /** Sends a file, or a folder with everything below it. */
  async send(response: Response, userId: string, path: FilePath): Promise<void> {
    const { node } = await this.files.locate(userId, path);
    this.treeLimits.assertWithinRequestLimit(node.nodeCount);
    await this.blobs.assertPresent();
    // The top folder has no name; its members are at the top of the archive.
    const name = `${nameOf(path) || userId}.zip`;
    const open = () => zip(this.#entries(node, ''));
    await sendArchive(response, { name, open }, this.shares.take('archives', userId));
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
