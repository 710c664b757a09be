import { Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import {
  BackupContentsOffer,
  type BackupContents,
  type StoredContent,
} from '../../../common/ports/backup-contents.js';
import type { SqlRunner } from '../../../common/sql-runner.js';
import { ContentStores } from '../stores/content-stores.service.js';
import { StoresRepository } from '../stores/stores.repository.js';
import { BlobStore } from './blob-store.service.js';
import { BlobsRepository } from './blobs.repository.js';

const BATCH = 1000;

/** The contents of users' files for backups. */
@Injectable()
export class BackupContentsService implements BackupContents {
  constructor(
    private readonly stores: ContentStores,
    private readonly blobs: BlobStore,
    private readonly places: StoresRepository,
    private readonly repository: BlobsRepository,
    offer: BackupContentsOffer,
  ) {
    offer.fill(this);
  }

  get place(): string {
    return this.stores.current.place;
  }

  async *idsIn(snapshot: SqlRunner): AsyncGenerator<readonly string[], void, undefined> {
    for (let last: string | undefined; ;) {
      const ids = await this.repository.referencedIn(snapshot, last, BATCH);
      yield ids;
      last = ids.at(-1);
      if (ids.length < BATCH) {
        return;
      }
    }
  }

  async open(id: string): Promise<StoredContent | null> {
    const bytes = await this.blobs.sizeOf(id);
    return bytes === null ? null : { bytes, read: () => this.blobs.readLater(id) };
  }

  async take(replace: boolean): Promise<boolean> {
    if (!(await this.stores.current.take(replace))) {
      return false;
    }
    // The rows of the backup say where contents were; they are written to the store of the settings.
    await this.places.forgetPlaces();
    return true;
  }

  async write(id: string, content: AsyncIterable<Buffer>): Promise<void> {
    await this.blobs.restore(id, Readable.from(content, { objectMode: false }));
  }
}
