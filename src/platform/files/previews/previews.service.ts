import { Injectable } from '@nestjs/common';
import { createWriteStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { DiskSpace } from '../../../common/disk/disk-space.js';
import { keepLatest } from '../../../common/keep-latest.js';
import { rasterTypeOf, SIGNATURE_BYTES, type RasterType } from '../../../common/raster-type.js';
import { BlobStore } from '../content/blob-store.service.js';
import type { SentContent } from '../dav/send-content.js';
import { NoPreview } from '../files.errors.js';
import { hasPreview } from '../tree/file-kinds.js';
import type { StoredNode } from '../tree/nodes.sql.js';
import { PictureResizer } from './picture-resizer.service.js';
import { PreviewCache, type PreviewSize } from './preview-cache.service.js';

interface Preview {
  /** Detected from the first bytes, not from the file name. */
  readonly type: RasterType;
  readonly content: SentContent;
  /** Call it when the preview has been sent. */
  readonly close: () => Promise<void>;
}

const MOST_REMEMBERED = 1000;

/** Previews of pictures: resized, or the picture itself when no size is requested. */
@Injectable()
export class PreviewsService {
  /** Previews being made, by content and size. */
  readonly #making = new Map<string, Promise<boolean>>();
  /** Ids of contents that could not be read, the latest last. */
  readonly #unreadable = new Map<string, true>();

  constructor(
    private readonly blobs: BlobStore,
    private readonly cache: PreviewCache,
    private readonly resizer: PictureResizer,
    private readonly disk: DiskSpace,
  ) {}

  /**
   * @param isWanted whether the client still waits
   * @throws NoPreview, PreviewsBusy, ContentFolderMissing, ContentStoreAway
   */
  async preview(
    node: StoredNode,
    size: PreviewSize | null,
    isWanted: () => boolean = () => true,
  ): Promise<Preview> {
    const { blobId, name, sizeBytes } = node;
    if (blobId === null || !hasPreview(node)) {
      throw new NoPreview(name);
    }
    const type = rasterTypeOf(await this.blobs.beginningOf(blobId, SIGNATURE_BYTES));
    // The detected type may differ from the name's, and must be a previewed one, too.
    if (type === null || !hasPreview({ mime: type, sizeBytes })) {
      throw new NoPreview(name);
    }
    if (size === null) {
      return {
        type,
        content: { sizeBytes, open: (part) => this.blobs.read(blobId, part) },
        close: async () => {},
      };
    }
    let file = await this.cache.open(blobId, size);
    // A new one may have been evicted already.
    while (file === null) {
      NoPreview.unless(await this.#make(node.userId, blobId, size, isWanted), name);
      file = await this.cache.open(blobId, size);
    }
    return previewIn(file);
  }

  async #make(
    userId: string,
    blobId: string,
    size: PreviewSize,
    isWanted: () => boolean,
  ): Promise<boolean> {
    const key = `${blobId} ${JSON.stringify(size)}`;
    const others = this.#making.get(key);
    // Result of a concurrent request for the same; retried if its client disconnected.
    const made = (await others?.catch(() => false)) ?? false;
    if (made || this.#unreadable.has(blobId) || this.disk.isLow) {
      return made;
    }
    const making = this.#resize(userId, blobId, size, isWanted);
    this.#making.set(key, making);
    try {
      return await making;
    } finally {
      this.#making.delete(key);
    }
  }

  async #resize(
    userId: string,
    blobId: string,
    size: PreviewSize,
    isWanted: () => boolean,
  ): Promise<boolean> {
    const [copy, target] = [await this.cache.newFile(), await this.cache.newFile()];
    let wanted = true;
    const prepare = async () => ({ source: await this.#sourceOf(blobId, copy), target, ...size });
    try {
      if (await this.resizer.resize(userId, prepare, () => (wanted = isWanted()))) {
        await this.cache.keep(blobId, size, target);
        return true;
      }
    } finally {
      await this.cache.discard(copy);
    }
    await this.cache.discard(target);
    if (wanted) {
      keepLatest(this.#unreadable, blobId, true, MOST_REMEMBERED);
    }
    return false;
  }

  /** A file for the process that resizes. @param copy written unless the content is a file already */
  async #sourceOf(blobId: string, copy: string): Promise<string> {
    const local = await this.blobs.localPathOf(blobId);
    if (local === null) {
      await pipeline(await this.blobs.read(blobId), createWriteStream(copy, { mode: 0o600 }));
    }
    return local ?? copy;
  }
}

async function previewIn(file: FileHandle): Promise<Preview> {
  const close = () => file.close();
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SIGNATURE_BYTES), { position: 0 });
    const type = rasterTypeOf(buffer.subarray(0, bytesRead)) ?? 'image/jpeg';
    const { size: sizeBytes } = await file.stat();
    return {
      type,
      content: { sizeBytes, open: async (part) => file.createReadStream(part) },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
