import { open, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { PostgresPlace } from './embedded-postgres-files.js';

/** Enough for PostgreSQL to replay its log, make a checkpoint and take some deletions. */
const BALLAST_BYTES = 64 * 1024 * 1024;

const CHUNK_BYTES = 1024 * 1024;

/** The disk needs this many times the ballast before it is written. */
const COMFORT = 4;

/** With less than this PostgreSQL may be unable to start: two segments of its log. */
const TOO_LITTLE_BYTES = 32 * 1024 * 1024;

/**
 * A file that takes up space beside the database so that there is some to give back: a PostgreSQL
 * that stopped on a full disk cannot start without room to write.
 */
export class Ballast {
  readonly #file: string;
  readonly #folder: string;

  constructor(place: PostgresPlace) {
    this.#folder = place.baseDir;
    this.#file = path.join(place.baseDir, 'ballast');
  }

  /** Writes the file when it is missing and the disk has plenty of room; otherwise does nothing. */
  async fill(): Promise<void> {
    if (await this.#isThere()) {
      return;
    }
    if ((await this.#freeBytes()) < COMFORT * BALLAST_BYTES) {
      return;
    }
    const draft = `${this.#file}.draft`;
    const handle = await open(draft, 'w', 0o600);
    try {
      // Written rather than set to a length: a sparse file takes up no space.
      const chunk = Buffer.alloc(CHUNK_BYTES, 'ballast ');
      for (let written = 0; written < BALLAST_BYTES; written += CHUNK_BYTES) {
        await handle.write(chunk);
      }
    } finally {
      await handle.close();
    }
    await rename(draft, this.#file);
  }

  /**
   * Gives the space back if the disk is full. Measured, since a server on a full disk cannot even
   * write to its log why it stopped.
   *
   * @returns false when the disk is not full, or there was nothing to give back
   */
  async release(): Promise<boolean> {
    if ((await this.#freeBytes()) >= TOO_LITTLE_BYTES || !(await this.#isThere())) {
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
