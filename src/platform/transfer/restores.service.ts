import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { AccountRestores, KeptArchive } from '../../common/ports/account-restores.js';
import { AccountTransferParts } from '../../common/ports/account-transfer.js';
import { Database } from '../../database/database.js';
import { ArchiveTimes } from './archive-times.service.js';
import { ArchiveWork } from './archive-work.service.js';
import { ArchivesRepository, type Archive, type Attempt } from './archives.repository.js';
import { NotTakenCounts } from './not-taken.js';
import { openArchive } from './open-archive.js';
import { ArchiveGone } from './transfer.errors.js';

/** How long an archive waits for its import to begin. */
const WAITS_DAYS = 1;

/** Takes in archives of accounts: everything but the articles, which the imports of the feed reader bring. */
@Injectable()
export class RestoresService implements AccountRestores {
  constructor(
    private readonly database: Database,
    private readonly archives: ArchivesRepository,
    private readonly parts: AccountTransferParts,
    private readonly work: ArchiveWork,
    private readonly times: ArchiveTimes,
  ) {
    work.carryOut('import', (...given) => this.#takeIn(...given));
  }

  /** @throws ArchiveTooLarge, StorageFull */
  async keep(userId: string, file: string, askedSeconds: number): Promise<void> {
    const wish = { kind: 'import', withFiles: true, withSecrets: false } as const;
    const expiresAt = this.times.expiry(WAITS_DAYS);
    const archiveId = await this.database.transaction((tx) =>
      this.archives.create(userId, wish, tx, { askedSeconds, expiresAt }),
    );
    const attempt = { archiveId, token: randomUUID() };
    await this.archives.begin(attempt);
    await this.work.store(attempt, createReadStream(file), () => 0);
    if (!(await this.archives.complete(attempt, expiresAt))) {
      throw new ArchiveGone();
    }
  }

  async waiting(userId: string | null = null): Promise<readonly KeptArchive[]> {
    return this.archives.keptImports(userId);
  }

  async isUnderWay(userId: string): Promise<boolean> {
    return this.archives.isUnderWay(userId);
  }

  async keepOn(archiveId: number): Promise<void> {
    await this.archives.moveExpiry(archiveId, this.times.expiry(WAITS_DAYS));
  }

  async begin(archiveId: number): Promise<void> {
    await this.database.transaction(async (tx) => {
      const isReleased = await this.archives.release(archiveId, tx);
      await this.work.send(isReleased ? [archiveId] : [], tx);
    });
    this.work.wake();
  }

  async show(userId: string): Promise<Archive | null> {
    return this.archives.find(userId, 'import', this.times.now());
  }

  async #takeIn(
    attempt: Attempt,
    { id, userId, sizeBytes }: Archive,
    signal: AbortSignal,
  ): Promise<void> {
    const notTaken = new NotTakenCounts();
    const source = await openArchive(sizeBytes, (start, end) => this.#read(id, start, end, signal));
    for (const takeIn of this.parts.imports) {
      if (!(await this.archives.touch(attempt))) {
        throw new ArchiveGone();
      }
      await takeIn(userId, source, (what, reason) => notTaken.add(what, reason));
    }
    await this.archives.end(attempt, notTaken.all(), this.times.expiry());
  }

  /** Fails as soon as another attempt has begun: two would do the same side by side. */
  async *#read(
    archiveId: number,
    start: number,
    end: number,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    for await (const piece of this.work.read(archiveId, start, end)) {
      signal.throwIfAborted();
      yield piece;
    }
  }
}
