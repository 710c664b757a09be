import { Injectable } from '@nestjs/common';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DiskSpace } from '../../../common/disk/disk-space.js';
import { ContentFolder, ignoringExisting } from './content-folder.service.js';
import { ContentStore, type BytePart } from './content-store.js';

const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;

/**
 * Content files in the data folder. Named by generated ids: names given by users are never paths on
 * the disk.
 */
@Injectable()
export class FolderStore extends ContentStore {
  override readonly isLocal = true;
  readonly #root: string;
  readonly #incomingDir: string;

  constructor(
    private readonly folder: ContentFolder,
    disk: DiskSpace,
  ) {
    super();
    this.#root = folder.path;
    disk.watch(this.#root);
    this.#incomingDir = path.join(this.#root, 'arriving');
  }

  override get place(): string {
    return this.#root;
  }

  override async id(): Promise<null> {
    return null;
  }

  override async assertPresent(): Promise<void> {
    await this.folder.assertPresent();
  }

  async freeBytes(): Promise<number> {
    await this.assertPresent();
    const { bavail, bsize } = await statfs(this.#root);
    return bavail * bsize;
  }

  /** Writes a temporary file, and flushes it to the disk. */
  override async write(blobId: string, content: Readable): Promise<void> {
    await this.assertPresent();
    // Not recursive: the content folder itself must exist.
    await mkdir(this.#incomingDir, { mode: OWNER_ONLY_FOLDER }).catch(ignoringExisting);
    const file = createWriteStream(this.#incomingFile(blobId), {
      flags: 'w',
      mode: OWNER_ONLY_FILE,
      flush: true,
    });
    await pipeline(content, file);
  }

  override async settle(blobId: string): Promise<void> {
    const place = this.#pathOf(blobId);
    await this.assertPresent();
    await this.#makeFolder(path.dirname(place));
    await rename(this.#incomingFile(blobId), place);
    await syncFolder(path.dirname(place));
  }

  override async discard(blobId: string): Promise<void> {
    await rm(this.#incomingFile(blobId), { force: true });
  }

  override async open(blobId: string, part?: BytePart): Promise<Readable | null> {
    await this.assertPresent();
    const file = await open(this.#pathOf(blobId), 'r').catch(ignoringMissing);
    return file && file.createReadStream(part);
  }

  override localPathOf(blobId: string): string {
    return this.#pathOf(blobId);
  }

  override async sizeOf(blobId: string): Promise<number | null> {
    await this.assertPresent();
    const found = await stat(this.#pathOf(blobId)).catch(ignoringMissing);
    return found && found.size;
  }

  override async remove(blobId: string): Promise<void> {
    await this.assertPresent();
    await rm(this.#pathOf(blobId), { force: true });
  }

  override async removeStale(before: Date): Promise<void> {
    const names = await readdir(this.#incomingDir).catch(() => []);
    for (const name of names) {
      const file = path.join(this.#incomingDir, name);
      const written = await stat(file).catch(() => null);
      if (written !== null && written.mtime < before) {
        await rm(file, { force: true });
      }
    }
  }

  override async take(replace: boolean): Promise<boolean> {
    return this.folder.take(replace);
  }

  #pathOf(blobId: string): string {
    return path.join(this.#root, blobId.slice(0, 2), blobId);
  }

  async #makeFolder(folder: string): Promise<void> {
    try {
      await mkdir(folder, { mode: OWNER_ONLY_FOLDER });
      await syncFolder(this.#root);
    } catch (error) {
      ignoringExisting(error as NodeJS.ErrnoException);
    }
  }

  #incomingFile(blobId: string): string {
    return path.join(this.#incomingDir, blobId);
  }
}

function ignoringMissing(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') {
    throw error;
  }
  return null;
}

/** A new directory entry is durable only after its folder is synced. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
