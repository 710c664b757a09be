import { Injectable } from '@nestjs/common';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { BackupContents, type StoredContent } from '../../common/ports/backup-contents.js';
import type { SqlRunner } from '../../common/sql-runner.js';
import { BlobStore } from './blob-store.js';
import { BlobsRepository } from './blobs.repository.js';
import { ContentFolder } from './content-folder.js';

const BATCH = 1000;

/** The contents of users' files for backups. */
@Injectable()
export class BackupContentsService extends BackupContents {
  constructor(
    private readonly folder: ContentFolder,
    private readonly blobs: BlobStore,
    private readonly repository: BlobsRepository,
  ) {
    super();
  }

  override get place(): string {
    return this.folder.path;
  }

  override async *idsIn(snapshot: SqlRunner): AsyncGenerator<readonly string[], void, undefined> {
    for (let last: string | undefined; ;) {
      const ids = await this.repository.referencedIn(snapshot, last, BATCH);
      yield ids;
      last = ids.at(-1);
      if (ids.length < BATCH) {
        return;
      }
    }
  }

  override async open(id: string): Promise<StoredContent | null> {
    const file = this.blobs.pathOf(id);
    const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') {
        throw error;
      }
      return null;
    });
    return found && { bytes: found.size, read: () => createReadStream(file) };
  }

  override async take(replace: boolean): Promise<boolean> {
    return this.folder.take(replace);
  }

  override async write(id: string, content: AsyncIterable<Buffer>): Promise<void> {
    await this.blobs.restore(id, Readable.from(content, { objectMode: false }));
  }
}
