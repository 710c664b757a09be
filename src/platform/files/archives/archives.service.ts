import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { sendStream } from '../../../common/http/send-stream.js';
import { Shares } from '../../../common/http/shares.js';
import { whenClosed } from '../../../common/http/when-closed.js';
import { zip, type ZipEntry } from '../../../common/zip.js';
import { BlobStore } from '../content/blob-store.service.js';
import { ArchivesOffer } from '../dav/send-content.js';
import { isCompressed } from '../tree/file-kinds.js';
import { nameOf, type FilePath } from '../tree/file-path.js';
import { FilesService } from '../tree/files.service.js';
import { NodesRepository } from '../tree/nodes.repository.js';
import type { StoredNode } from '../tree/nodes.sql.js';
import { TreeLimits } from '../tree/tree-limits.service.js';

/** Clients may pause a download and resume it. */
const STALLED_AFTER_MS = 600_000;

/** Files and folders as ZIP archives, created while they are sent. */
@Injectable()
export class ArchivesService {
  constructor(
    private readonly files: FilesService,
    private readonly nodes: NodesRepository,
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
    whenClosed(response, this.shares.take('archives', userId));
    // The top folder has no name.
    response.attachment(`${nameOf(path) || userId}.zip`);
    response.set({ 'Content-Type': 'application/zip', 'Cache-Control': 'private, no-store' });
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    await sendStream(response, zip(this.#entries(node, '')), STALLED_AFTER_MS);
  }

  /** Members of the top folder are at the top of the archive. */
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
    for await (const members of this.nodes.members(node, false)) {
      for (const member of members) {
        yield* this.#entries(member, name);
      }
    }
  }
}
