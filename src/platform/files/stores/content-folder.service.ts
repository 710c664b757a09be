import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { access, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Config } from '../../../common/config/config.js';
import { dataFolderMode } from '../../../common/data-folder.js';
import { Readiness } from '../../../common/health/readiness.js';
import { ContentFolderMissing } from '../files.errors.js';
import { InstallationRepository } from './installation.repository.js';

const MARKER = '.gatefold-files';

const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;

/** How many contents are searched in a folder without a marker. */
const SAMPLED_CONTENTS = 20;

/**
 * The folder with the content of files, which may be a mount. Its marker file holds an id that is
 * also in the database. Without the marker nothing is written: the folder may be an empty mount
 * point, and content written there would be hidden by the next mount.
 */
@Injectable()
export class ContentFolder implements OnApplicationBootstrap {
  readonly path: string;
  readonly #logger = new Logger('Files');
  readonly #marker: string;
  /** Device and inode of the marker that was verified. */
  #verified: string | undefined;
  #isMissing = false;

  constructor(
    private readonly config: Config,
    private readonly installation: InstallationRepository,
    readiness: Readiness,
  ) {
    this.path = path.join(config.dataDir, 'files');
    this.#marker = path.join(this.path, MARKER);
    readiness.requires(() => this.assertPresent(), 'folder of files');
  }

  async onApplicationBootstrap(): Promise<void> {
    // Logged, and shown by the readiness check; requests that need the folder fail.
    await this.assertPresent().catch(() => {});
  }

  /** Costs one `stat` while the marker is unchanged. @throws ContentFolderMissing */
  async assertPresent(): Promise<void> {
    const found = await this.#identity();
    const isPresent =
      found === null
        ? await this.#adopt()
        : found === this.#verified || (await this.#verify(found));
    this.#log(isPresent);
    ContentFolderMissing.unless(isPresent);
  }

  /**
   * Makes the folder belong to this database, before contents of a backup are restored into it.
   *
   * @returns false when it belongs to another installation, unless `replace`
   */
  async take(replace: boolean): Promise<boolean> {
    const id = await this.installation.filesMarker(randomUUID());
    const written = await readFile(this.#marker, 'utf8').catch(() => '');
    if (written.trim() === id) {
      return true;
    }
    if (written !== '' && !replace) {
      return false;
    }
    await mkdir(this.path, { recursive: true, mode: OWNER_ONLY_FOLDER });
    await writeFile(this.#marker, `${id}\n`, { mode: OWNER_ONLY_FILE });
    this.#verified = undefined;
    return true;
  }

  /** Whether the marker is there, if there was one ever. Writes nothing. */
  async isIntact(): Promise<boolean> {
    const id = await this.installation.knownFilesMarker();
    const written = await readFile(this.#marker, 'utf8').catch(() => '');
    return id === null || written.trim() === id;
  }

  async #identity(): Promise<string | null> {
    return stat(this.#marker).then(
      ({ dev, ino }) => `${dev}:${ino}`,
      () => null,
    );
  }

  async #verify(identity: string): Promise<boolean> {
    const written = (await readFile(this.#marker, 'utf8')).trim();
    if (written !== (await this.installation.filesMarker(written))) {
      return false;
    }
    this.#verified = identity;
    return true;
  }

  /**
   * Writes the marker if no content is stored yet, or some of it is found in the folder: on a new
   * installation, after an upgrade from a version without markers, or after an interrupted start.
   */
  async #adopt(): Promise<boolean> {
    if (this.#verified !== undefined || !(await this.#isOurs())) {
      return false;
    }
    await mkdir(this.config.dataDir, { recursive: true, mode: dataFolderMode() });
    await mkdir(this.path, { mode: OWNER_ONLY_FOLDER }).catch(ignoringExisting);
    const id = await this.installation.filesMarker(randomUUID());
    await writeFile(this.#marker, `${id}\n`, { mode: OWNER_ONLY_FILE });
    this.#verified = (await this.#identity()) ?? undefined;
    return true;
  }

  async #isOurs(): Promise<boolean> {
    const contents = await this.installation.someContents(SAMPLED_CONTENTS);
    const found = await Promise.all(
      contents.map((blobId) =>
        access(path.join(this.path, blobId.slice(0, 2), blobId)).then(
          () => true,
          () => false,
        ),
      ),
    );
    return contents.length === 0 || found.includes(true);
  }

  #log(isPresent: boolean): void {
    if (!isPresent && !this.#isMissing) {
      this.#logger.error(
        `${this.path} is not the folder that holds the contents of files: ${MARKER} is missing or ` +
          'belongs to another installation. Uploads and downloads are refused. Mount the folder, or ' +
          'restore it from the backup.',
      );
    }
    if (isPresent && this.#isMissing) {
      this.#logger.log(`${this.path} is available again.`);
    }
    this.#isMissing = !isPresent;
  }
}

export function ignoringExisting(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EEXIST') {
    throw error;
  }
  return undefined;
}
