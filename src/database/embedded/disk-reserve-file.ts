import { open, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { PostgresPaths } from './embedded-postgres-files.js';

/** Suffices for PostgreSQL to replay its log, write a checkpoint and execute some deletions. */
const RESERVE_BYTES = 64 * 1024 * 1024;

const CHUNK_BYTES = 1024 * 1024;

/** The file is written only if this many times its size is free. */
const FREE_FACTOR = 4;

/** Two segments of its log, without which PostgreSQL may be unable to start. */
const FULL_BELOW_BYTES = 32 * 1024 * 1024;

/**
 * A file beside the database that reserves disk space. It is deleted when PostgreSQL cannot start
 * because the disk is full.
 */
export class DiskReserveFile {
  readonly #file: string;
  readonly #folder: string;

  constructor(paths: PostgresPaths) {
    this.#folder = paths.baseDir;
    this.#file = path.join(paths.baseDir, 'ballast');
  }

  /** Writes the file if it is missing and the disk has enough free space. */
  async fill(): Promise<void> {
    if (await this.#isThere()) {
      return;
    }
    if ((await this.#freeBytes()) < FREE_FACTOR * RESERVE_BYTES) {
      return;
    }
    const draft = `${this.#file}.draft`;
    const handle = await open(draft, 'w', 0o600);
    try {
      // Written, not truncated to size: a sparse file reserves no space.
      const chunk = Buffer.alloc(CHUNK_BYTES, 'ballast ');
      for (let written = 0; written < RESERVE_BYTES; written += CHUNK_BYTES) {
        await handle.write(chunk);
      }
    } finally {
      await handle.close();
    }
    await rename(draft, this.#file);
  }

  /** Measures free space, since a server on a full disk cannot log why it stopped. */
  async isOnFullDisk(): Promise<boolean> {
    return (await this.#freeBytes()) < FULL_BELOW_BYTES;
  }

  /** Deletes the file if the disk is full. @returns false when it is not, or the file does not exist */
  async release(): Promise<boolean> {
    if (!(await this.isOnFullDisk()) || !(await this.#isThere())) {
      return false;
    }
    await rm(this.#file, { force: true });
    return true;
  }

  async #freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#folder);
    return bavail * bsize;
  }

  async #isThere(): Promise<boolean> {
    return stat(this.#file).then(
      () => true,
      () => false,
    );
  }
}
