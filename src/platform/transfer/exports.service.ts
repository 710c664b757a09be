import { Injectable } from '@nestjs/common';
import { AccountTransferParts, type TransferWish } from '../../common/ports/account-transfer.js';
import { Allowances } from '../../common/ports/allowances.js';
import { Database } from '../../database/database.js';
import { SecurityEventsService } from '../accounts/security/security-events.service.js';
import { archiveOf } from './archive-contents.js';
import { ArchiveTimes } from './archive-times.service.js';
import { ArchiveWork } from './archive-work.service.js';
import { ArchivesRepository, type Archive, type Attempt } from './archives.repository.js';
import {
  ArchiveGone,
  ArchiveNotFound,
  ArchiveNotReady,
  TooManyArchives,
} from './transfer.errors.js';

/**
 * Archives of everything that an account has, made in the background and kept for some days.
 *
 * @see docs/decisions/0104-take-everything-with-you.md
 */
@Injectable()
export class ExportsService {
  constructor(
    private readonly database: Database,
    private readonly archives: ArchivesRepository,
    private readonly parts: AccountTransferParts,
    private readonly work: ArchiveWork,
    private readonly events: SecurityEventsService,
    private readonly allowances: Allowances,
    private readonly times: ArchiveTimes,
  ) {
    work.carryOut('export', (...given) => this.#make(...given));
  }

  /** Has an archive made, in place of the one before. @throws TooManyArchives */
  async start(wish: TransferWish): Promise<void> {
    const { allowed } = this.times;
    const { granted, waitSeconds } = await this.allowances.take(wish.userId, allowed);
    if (granted === 0) {
      throw new TooManyArchives(allowed.most, waitSeconds);
    }
    await this.database.transaction(async (tx) => {
      const wanted = { ...wish, kind: 'export' } as const;
      await this.work.send([await this.archives.create(wish.userId, wanted, tx)], tx);
    });
    this.work.wake();
    await this.#record(wish);
  }

  /** Null without one, and after it has expired. */
  async show(userId: string): Promise<Archive | null> {
    return this.archives.find(userId, 'export', this.times.now());
  }

  /** @throws ArchiveNotFound */
  async remove(userId: string): Promise<void> {
    ArchiveNotFound.unless(await this.archives.remove(userId, 'export'));
  }

  /** The finished archive. @throws ArchiveNotFound, ArchiveNotReady */
  async open(userId: string): Promise<{ archive: Archive; content: AsyncIterable<Uint8Array> }> {
    const archive = ArchiveNotFound.unless(await this.show(userId));
    if (archive.state !== 'ready') {
      throw new ArchiveNotReady();
    }
    return { archive, content: this.work.read(archive.id) };
  }

  /** Without storing it, for the operator. */
  async archive(wish: TransferWish): Promise<AsyncIterable<Uint8Array>> {
    await this.#record(wish);
    return archiveOf(wish, this.parts.exports, this.times.now());
  }

  async #make(attempt: Attempt, wish: TransferWish, signal: AbortSignal): Promise<void> {
    let entries = 0;
    const content = archiveOf(wish, this.parts.exports, this.times.now(), (count) => {
      entries = count;
    });
    await this.work.store(attempt, content, () => entries, signal);
    if (!(await this.archives.complete(attempt, this.times.expiry()))) {
      throw new ArchiveGone();
    }
  }

  async #record({ userId, withFiles, withSecrets }: TransferWish): Promise<void> {
    const remarks = [withFiles && 'with files', withSecrets && 'with passwords and tokens'];
    const details = remarks.filter(Boolean).join(', ') || undefined;
    await this.events.record({ kind: 'account_exported', userId, details });
  }
}
