import { Injectable, Logger } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Config } from '../../../common/config/config.js';
import { DiskSpace } from '../../../common/disk/disk-space.js';
import { MIB } from '../../../common/units.js';
import { SourcesSettings } from '../sources.settings.js';

/** Smallest space of a file on a disk. */
const BLOCK_BYTES = 4096;

/** The largest share of the cache for one picture. */
const LARGEST_SHARE = 0.1;

/** Uses are recorded in the time of the file, at most this often. */
const RECORD_USE_AFTER_MS = 3_600_000;

interface Kept {
  readonly bytes: number;
  readonly usedMs: number;
}

/**
 * Pictures on disk, in `pictures/` of the data folder: at most `GATEFOLD_PICTURES_CACHE_MIB`, the least
 * recently used go first. Processes that share the folder share the files, but each counts its own.
 */
@Injectable()
export class PictureCache {
  readonly #logger = new Logger('Pictures');
  readonly #folder: string;
  readonly #largestBytes: number;
  /** Files by name, the least recently used first. */
  #kept: Promise<Map<string, Kept>> | null = null;
  #totalBytes = 0;

  constructor(
    { dataDir }: Config,
    { picturesCacheMib }: SourcesSettings,
    private readonly disk: DiskSpace,
  ) {
    this.#folder = path.join(dataDir, 'pictures');
    this.#largestBytes = picturesCacheMib * MIB;
  }

  /** @returns null unless it is kept */
  async find(address: string): Promise<Buffer | null> {
    const name = nameOf(address);
    const bytes = await readFile(this.#fileOf(name)).catch(() => null);
    const kept = await this.#files();
    if (bytes === null) {
      this.#forget(kept, name);
      return null;
    }
    await this.#use(kept, name, bytes.length);
    return bytes;
  }

  /** Keeps a picture if there is room, and removes others. Never fails. */
  async keep(address: string, bytes: Uint8Array): Promise<void> {
    if (bytes.length > this.#largestBytes * LARGEST_SHARE || (await this.disk.checkLow())) {
      return;
    }
    const name = nameOf(address);
    const file = this.#fileOf(name);
    const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
    try {
      const kept = await this.#files();
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(draft, bytes, { mode: 0o600 });
      await rename(draft, file);
      this.#forget(kept, name);
      this.#count(kept, name, { bytes: bytes.length, usedMs: Date.now() });
      await this.#makeRoom(kept);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {});
      this.#logger.warn(`a picture could not be kept: ${(error as Error).message}`);
    }
  }

  /** Files of earlier processes, including unfinished ones. */
  #files(): Promise<Map<string, Kept>> {
    this.#kept ??= this.#readFolder();
    return this.#kept;
  }

  async #readFolder(): Promise<Map<string, Kept>> {
    const entries = await readdir(this.#folder, { recursive: true, withFileTypes: true }).catch(
      () => [],
    );
    const found: [name: string, kept: Kept][] = [];
    for (const entry of entries.filter((one) => one.isFile())) {
      const file = path.join(entry.parentPath, entry.name);
      const state = await stat(file).catch(() => null);
      if (/^[\da-f]{64}$/.test(entry.name) && state !== null) {
        found.push([entry.name, { bytes: state.size, usedMs: state.mtimeMs }]);
      } else if (state !== null && Date.now() - state.mtimeMs > RECORD_USE_AFTER_MS) {
        await rm(file, { force: true }).catch(() => {});
      }
    }
    const kept = new Map<string, Kept>();
    for (const [name, file] of found.toSorted(([, a], [, b]) => a.usedMs - b.usedMs)) {
      this.#count(kept, name, file);
    }
    await this.#makeRoom(kept);
    return kept;
  }

  async #use(files: Map<string, Kept>, name: string, bytes: number): Promise<void> {
    const now = Date.now();
    const usedMs = files.get(name)?.usedMs ?? 0;
    const isRecent = now - usedMs < RECORD_USE_AFTER_MS;
    this.#forget(files, name);
    this.#count(files, name, { bytes, usedMs: isRecent ? usedMs : now });
    if (!isRecent) {
      await utimes(this.#fileOf(name), new Date(now), new Date(now)).catch(() => {});
    }
  }

  async #makeRoom(files: Map<string, Kept>): Promise<void> {
    for (const name of files.keys()) {
      if (this.#totalBytes <= this.#largestBytes) {
        return;
      }
      this.#forget(files, name);
      await rm(this.#fileOf(name), { force: true });
    }
  }

  #count(files: Map<string, Kept>, name: string, file: Kept): void {
    files.set(name, file);
    this.#totalBytes += onDisk(file);
  }

  #forget(files: Map<string, Kept>, name: string): void {
    const file = files.get(name);
    if (file !== undefined) {
      files.delete(name);
      this.#totalBytes -= onDisk(file);
    }
  }

  #fileOf(name: string): string {
    return path.join(this.#folder, name.slice(0, 2), name);
  }
}

function onDisk({ bytes }: Kept): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

function nameOf(address: string): string {
  return createHash('sha256').update(address).digest('hex');
}
