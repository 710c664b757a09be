import { Injectable, Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { DiskSpace } from '../../common/disk/disk-space.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { StorageFull } from '../../common/errors/storage-full.js';
import { HOUR_SECONDS, MIB } from '../../common/units.js';
import { Database, type Transaction } from '../../database/database.js';
import type { JobKind } from '../../database/jobs/job-kind.js';
import { JobQueue } from '../../database/jobs/job-queue.js';
import { Regularly } from '../../database/regularly.js';
import { ArchiveTimes } from './archive-times.service.js';
import { ArchivesRepository, type Archive, type Attempt } from './archives.repository.js';
import { ArchiveGone, ArchiveTooLarge } from './transfer.errors.js';

/** Keys are ids of archives. */
const ARCHIVES: JobKind<{ readonly archiveId: number }> = {
  name: 'account-archives',
  deadlineSeconds: 12 * HOUR_SECONDS,
  retryDelaySeconds: 10,
  longestRetryDelaySeconds: 300,
  attemptSeconds: 6 * HOUR_SECONDS,
  parallel: 2,
};

const PIECE_BYTES = MIB;
const MOST_ATTEMPTS = 5;
const TOUCHED_EVERY_MS = 15_000;

type Work = (attempt: Attempt, archive: Archive, signal: AbortSignal) => Promise<void>;

/** Work on archives, by one process at a time, and by another one when that has ended. */
@Injectable()
export class ArchiveWork {
  readonly #logger = new Logger('Archives');
  readonly #works = new Map<Archive['kind'], Work>();

  constructor(
    private readonly database: Database,
    private readonly archives: ArchivesRepository,
    private readonly jobs: JobQueue,
    private readonly disk: DiskSpace,
    private readonly times: ArchiveTimes,
  ) {
    jobs.carryOut(ARCHIVES, ({ payload, signal }) => this.#run(payload.archiveId, signal));
  }

  /**
   * @param work may throw a `DomainError`, whose sentence its user is told, or another error to be tried again; its
   *   signal aborts also when another attempt has begun
   */
  carryOut(kind: Archive['kind'], work: Work): void {
    this.#works.set(kind, work);
  }

  async send(archiveIds: readonly number[], tx: Transaction): Promise<void> {
    const jobs = archiveIds.map((archiveId) => ({
      key: String(archiveId),
      payload: { archiveId },
    }));
    await this.jobs.send(ARCHIVES, jobs, tx);
  }

  /** After the transaction of `send`. */
  wake(): void {
    this.jobs.wake(ARCHIVES);
  }

  /** Stores a content in pieces. @throws ArchiveTooLarge, StorageFull, ArchiveGone */
  async store(
    attempt: Attempt,
    content: AsyncIterable<Uint8Array>,
    entries: () => number,
    signal?: AbortSignal,
  ): Promise<void> {
    const { mostBytes } = this.times;
    let place = 0;
    let bytes = 0;
    let gathered: Uint8Array[] = [];
    const write = async () => {
      if (await this.disk.checkLow()) {
        throw new StorageFull();
      }
      const piece = Buffer.concat(gathered);
      if (!(await this.archives.addPiece(attempt, place, piece, entries()))) {
        throw new ArchiveGone();
      }
      place += 1;
      gathered = [];
    };
    for await (const chunk of content) {
      signal?.throwIfAborted();
      // Of any size, and all pieces but the last one have the same.
      for (let at = 0; at < chunk.length;) {
        const part = chunk.subarray(at, at + (place + 1) * PIECE_BYTES - bytes);
        gathered.push(part);
        at += part.length;
        bytes += part.length;
        if (bytes > mostBytes) {
          throw new ArchiveTooLarge(mostBytes / MIB);
        }
        if (bytes === (place + 1) * PIECE_BYTES) {
          await write();
        }
      }
    }
    await write();
  }

  /** A part of a stored content. @param end exclusive */
  async *read(archiveId: number, start = 0, end = Infinity): AsyncGenerator<Uint8Array> {
    for (let at = start; at < end;) {
      const place = Math.floor(at / PIECE_BYTES);
      const piece = await this.archives.piece(archiveId, place);
      const from = at - place * PIECE_BYTES;
      const part = piece?.subarray(from, Math.min(PIECE_BYTES, from + end - at));
      if (part === undefined || part.length === 0) {
        return;
      }
      yield part;
      at += part.length;
    }
  }

  /** Removes what has expired, and resumes what a process has left. */
  @Regularly('account-archives', 60)
  async tend(): Promise<void> {
    await this.archives.removeExpired(this.times.now());
    await this.database.transaction(async (tx) => {
      await this.send(await this.archives.takeForsaken(tx), tx);
    });
    this.wake();
  }

  async #run(archiveId: number, signal: AbortSignal): Promise<void> {
    const attempt = { archiveId, token: randomUUID() };
    const archive = await this.archives.begin(attempt);
    if (archive === null) {
      return;
    }
    if (archive.attempts > MOST_ATTEMPTS) {
      return this.#failed(attempt, archive, new Error('Its processes were killed.'));
    }
    const replaced = new AbortController();
    const touch = async () => {
      if (!(await this.archives.touch(attempt))) {
        replaced.abort(new ArchiveGone());
      }
    };
    const touching = setInterval(() => void touch().catch(() => {}), TOUCHED_EVERY_MS).unref();
    try {
      const ended = AbortSignal.any([signal, replaced.signal]);
      await this.#works.get(archive.kind)?.(attempt, archive, ended);
    } catch (error) {
      await this.#failed(attempt, archive, error);
    } finally {
      clearInterval(touching);
    }
  }

  async #failed(attempt: Attempt, archive: Archive, error: unknown): Promise<void> {
    const { userId, kind, attempts } = archive;
    if (error instanceof ArchiveGone) {
      return;
    }
    if (!(error instanceof DomainError) && attempts < MOST_ATTEMPTS) {
      await this.archives.giveBack(attempt);
      throw error;
    }
    this.#logger.error(`The ${kind} of "${userId}" failed: ${String(error)}`);
    const problem = error instanceof DomainError ? error.message : 'An unexpected error ended it.';
    await this.archives.fail(attempt, problem, this.times.expiry());
  }
}
