import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { access, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Config } from '../../common/config/config.js';
import { Readiness } from '../../common/health/readiness.js';
import { ContentFolderMissing } from '../files.errors.js';
import { InstallationRepository } from '../installation/installation.repository.js';

const MARKER = '.gatefold-files';

const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;

/** Contents that are looked for in a folder without a marker. */
const SAMPLED_CONTENTS = 20;

/**
 * The folder with the contents of files, which may be mounted from elsewhere. A marker in it holds an
 * id that the database knows, too. Without the marker nothing is written: the folder may be an empty
 * mount point, and what lands below it is lost when the right folder is mounted again.
 */
@Injectable()
export class ContentFolder implements OnApplicationBootstrap {
  readonly path: string;
  readonly #logger = new Logger('Files');
  readonly #marker: string;
  /** Device and inode of the marker that was read and found right. */
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
    // A missing folder is logged, shown by the readiness check, and refused when it is needed.
    await this.assertPresent().catch(() => {});
  }

  /**
   * One look at the disk, as long as nothing has changed.
   *
   * @throws ContentFolderMissing
   */
  async assertPresent(): Promise<void> {
    const found = await this.#identity();
    const isPresent =
      found === null
        ? await this.#adopt()
        : found === this.#verified || (await this.#verify(found));
    this.#log(isPresent);
    if (!isPresent) {
      throw new ContentFolderMissing();
    }
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
   * Marks the folder of a new installation, of one from before there were markers, and of one whose
   * first start was cut short: there are no contents yet, or some of them are in the folder.
   */
  async #adopt(): Promise<boolean> {
    if (this.#verified !== undefined || !(await this.#isOurs())) {
      return false;
    }
    await mkdir(this.config.dataDir, { recursive: true });
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
          'of another installation. Uploads and downloads are refused. Mount the folder again, or ' +
          'restore it from the backup.',
      );
    }
    if (isPresent && this.#isMissing) {
      this.#logger.log(`${this.path} is there again.`);
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
