import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Config } from '../../common/config/config.js';
import { DiskSpace } from '../../common/disk/disk-space.js';
import { StorageFull } from '../../common/errors/storage-full.js';
import { uploadToFile } from '../../common/http/upload-to-file.js';
import { DAY_SECONDS, HOUR_SECONDS, MIB } from '../../common/units.js';
import { Regularly } from '../../database/regularly.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { FileMissing } from './imports.errors.js';
import { ImportsService, type ShownImport } from './imports.service.js';

/** Files that are uploaded to be imported. They are on disk while they are read. */
@Injectable()
export class ImportUploads {
  readonly #folder: string;

  constructor(
    private readonly config: Config,
    private readonly disk: DiskSpace,
    private readonly imports: ImportsService,
  ) {
    this.#folder = path.join(config.dataDir, 'imports');
  }

  /** @throws FileMissing, StorageFull, PayloadTooLargeException; and as `ImportsService.read` */
  async read(reader: Reader, request: Request): Promise<ShownImport> {
    const mostBytes = this.config.limits['import-mebibytes'] * MIB;
    await this.disk.assertRoomFor(Number(request.headers['content-length'] ?? 0));
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = path.join(this.#folder, randomUUID());
    try {
      const isThere = await uploadToFile(request, file, mostBytes, () => {
        if (this.disk.isLow) {
          throw new StorageFull();
        }
      });
      if (!isThere || (await stat(file)).size === 0) {
        throw new FileMissing();
      }
      return await this.imports.read(reader, file);
    } finally {
      await rm(file, { force: true });
    }
  }

  /** Removes files of processes that were killed. */
  @Regularly('news-import-uploads', HOUR_SECONDS)
  async tidy(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const file = path.join(this.#folder, name);
      const found = await stat(file).catch(() => null);
      if (found !== null && found.mtimeMs < Date.now() - DAY_SECONDS * 1000) {
        await rm(file, { force: true });
      }
    }
  }
}
