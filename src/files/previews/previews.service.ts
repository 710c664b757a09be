import { Injectable } from '@nestjs/common';
import { rasterTypeOf, SIGNATURE_BYTES, type RasterType } from '../../common/raster-type.js';
import { hasPreview } from '../tree/file-kinds.js';
import { NoPreview } from '../files.errors.js';
import { BlobStore } from '../content/blob-store.js';
import type { StoredNode } from '../tree/nodes.repository.js';

export interface Preview {
  /** By its first bytes, whatever the name of the file says. */
  readonly type: RasterType;
  readonly contentPath: string;
}

/** Pictures that stand for files: those that are pictures already, in their own size. */
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
    // The type by its bytes may be another one than the name says, and must have previews, too.
    if (type === null || !hasPreview({ mime: type, sizeBytes })) {
      throw new NoPreview(name);
    }
    return { type, contentPath: this.blobs.pathOf(blobId) };
  }
}
