import { Injectable } from '@nestjs/common';
import { rasterTypeOf, SIGNATURE_BYTES, type RasterType } from '../../common/raster-type.js';
import { BlobStore } from '../content/blob-store.js';
import { NoPreview } from '../files.errors.js';
import { hasPreview } from '../tree/file-kinds.js';
import type { StoredNode } from '../tree/nodes.sql.js';

interface Preview {
  /** Detected from the first bytes, not from the file name. */
  readonly type: RasterType;
  readonly contentPath: string;
}

/** Previews of pictures: the original, not resized. */
@Injectable()
export class PreviewsService {
  constructor(private readonly blobs: BlobStore) {}

  /** @throws NoPreview, ContentFolderMissing */
  async preview(node: StoredNode): Promise<Preview> {
    const { blobId, name, sizeBytes } = node;
    if (blobId === null || !hasPreview(node)) {
      throw new NoPreview(name);
    }
    const type = rasterTypeOf(await this.blobs.beginningOf(blobId, SIGNATURE_BYTES));
    // The detected type may differ from that of the name, and must be a previewed one, too.
    if (type === null || !hasPreview({ mime: type, sizeBytes })) {
      throw new NoPreview(name);
    }
    return { type, contentPath: this.blobs.pathOf(blobId) };
  }
}
