import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { Config } from '../../../common/config/config.js';
import { BlobSweep } from '../content/blob-sweep.task.js';
import { FilesSettings } from '../files.settings.js';

/** The size of a preview, in pixels. */
export interface PreviewSize {
  readonly width: number;
  readonly height: number;
  /** Fills the size and cuts off the rest; otherwise the whole picture fits into it. */
  readonly crop: boolean;
}

const OWNER_ONLY_FOLDER = 0o700;

/** A file takes at least one block of the disk. */
const BLOCK_BYTES = 4096;

interface KeptPreviews {
  bytes: number;
  /** File names, one for each size. */
  readonly names: Set<string>;
}

/**
 * Resized pictures in the data folder, in one folder for each content. Of limited size: previews of the
 * least recently viewed content are deleted first. May be deleted at any time.
 */
@Injectable()
export class PreviewCache {
  readonly #root: string;
  readonly #mostBytes: number;
  /** Keyed by content id; the most recently used is last. */
  readonly #kept = new Map<string, KeptPreviews>();
  #bytes = 0;
  #loaded: Promise<void> | undefined;
  #lastChange: Promise<void> = Promise.resolve();

  constructor({ dataDir }: Config, { previewCacheMib }: FilesSettings, sweep: BlobSweep) {
    sweep.onRemoved((blobId) => this.forget(blobId));
    this.#root = path.join(dataDir, 'previews');
    this.#mostBytes = previewCacheMib * 1024 ** 2;
  }

  /** @returns the preview, readable even if it is deleted concurrently; null when it is not cached */
  async open(blobId: string, size: PreviewSize): Promise<FileHandle | null> {
    await this.#load();
    const kept = this.#kept.get(blobId);
    if (kept === undefined || !kept.names.has(nameOf(size))) {
      return null;
    }
    this.#kept.delete(blobId);
    this.#kept.set(blobId, kept);
    const handle = await open(this.#pathOf(blobId, nameOf(size)), 'r').catch(ignoringMissing);
    if (handle === null && this.#kept.get(blobId) === kept) {
      await this.forget(blobId);
    }
    return handle;
  }

  /** A path for a preview that is being made. */
  async newFile(): Promise<string> {
    await this.#load();
    await mkdir(this.#root, { recursive: true, mode: OWNER_ONLY_FOLDER });
    return path.join(this.#root, `${randomUUID()}.new`);
  }

  /** Moves a preview into the cache. */
  async keep(blobId: string, size: PreviewSize, file: string): Promise<void> {
    await this.#inTurn(async () => {
      const place = this.#pathOf(blobId, nameOf(size));
      await mkdir(path.dirname(place), { recursive: true, mode: OWNER_ONLY_FOLDER });
      await rename(file, place);
      this.#count(blobId, nameOf(size), (await stat(place)).size);
      for (const [oldest] of this.#kept) {
        if (this.#bytes <= this.#mostBytes || oldest === blobId) {
          break;
        }
        await this.#delete(oldest);
      }
    });
  }

  /** Deletes a file that `newFile` named, if it was written. */
  async discard(file: string): Promise<void> {
    await rm(file, { force: true });
  }

  /** Deletes all previews of a content. */
  async forget(blobId: string): Promise<void> {
    await this.#load();
    await this.#inTurn(() => this.#delete(blobId));
  }

  async #delete(blobId: string): Promise<void> {
    const kept = this.#kept.get(blobId);
    if (kept !== undefined) {
      this.#kept.delete(blobId);
      this.#bytes -= kept.bytes;
      await rm(path.dirname(this.#pathOf(blobId, 'x')), { recursive: true, force: true });
    }
  }

  /** Changes of the folder one after the other: a preview must not be moved into a folder that is being deleted. */
  async #inTurn(change: () => Promise<void>): Promise<void> {
    const turn = this.#lastChange.then(change);
    this.#lastChange = turn.catch(() => {});
    await turn;
  }

  async #load(): Promise<void> {
    this.#loaded ??= this.#readFolder();
    await this.#loaded;
  }

  async #readFolder(): Promise<void> {
    const entries = await readdir(this.#root, { recursive: true, withFileTypes: true }).catch(
      () => [],
    );
    const found: { blobId: string; name: string; bytes: number; changedMs: number }[] = [];
    for (const entry of entries.filter((one) => one.isFile())) {
      const file = path.join(entry.parentPath, entry.name);
      if (entry.name.endsWith('.new')) {
        await rm(file, { force: true });
        continue;
      }
      const known = await stat(file).catch(() => null);
      if (known !== null) {
        const blobId = path.basename(entry.parentPath);
        found.push({ blobId, name: entry.name, bytes: known.size, changedMs: known.mtimeMs });
      }
    }
    for (const { blobId, name, bytes } of found.toSorted((a, b) => a.changedMs - b.changedMs)) {
      this.#count(blobId, name, bytes);
    }
  }

  #count(blobId: string, name: string, bytes: number): void {
    const kept = this.#kept.get(blobId) ?? { bytes: 0, names: new Set() };
    this.#kept.delete(blobId);
    this.#kept.set(blobId, kept);
    if (!kept.names.has(name)) {
      const taken = Math.max(bytes, BLOCK_BYTES);
      kept.names.add(name);
      kept.bytes += taken;
      this.#bytes += taken;
    }
  }

  #pathOf(blobId: string, name: string): string {
    return path.join(this.#root, blobId.slice(0, 2), blobId, name);
  }
}

function nameOf({ width, height, crop }: PreviewSize): string {
  return `${width}x${height}${crop ? 'c' : ''}`;
}

function ignoringMissing(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') {
    throw error;
  }
  return null;
}
