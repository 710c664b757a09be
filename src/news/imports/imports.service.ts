import { Injectable } from '@nestjs/common';
import { DAY_SECONDS } from '../../common/units.js';
import type { Transaction } from '../../database/database.js';
import type { JobKind } from '../../database/jobs/job-kind.js';
import { JobQueue } from '../../database/jobs/job-queue.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';
import { ImportReadings } from './import-reading.service.js';
import type { NamedFeed } from './imported-row.js';
import {
  ImportNotFound,
  ImportNotUndone,
  ImportStarted,
  ImportUnderWay,
} from './imports.errors.js';
import { ImportsRepository, type NewsImport } from './imports.repository.js';
import { feedUrlOf } from './row-identity.js';

/** Keys are user ids. */
export const IMPORTS: JobKind<{ readonly userId: string; readonly importId: number }> = {
  name: 'news-import',
  deadlineSeconds: 2 * DAY_SECONDS,
  retryDelaySeconds: 5,
  longestRetryDelaySeconds: 120,
  attemptSeconds: 90,
  parallel: 1,
  ordered: true,
};

/** What is remembered of changes is kept as long. */
const UNDONE_WITHIN_SECONDS = 30 * DAY_SECONDS;

/** An import with the feeds that it names, each with the id of the user's own feed of that address. */
export type ShownImport = NewsImport & {
  readonly namedFeeds: readonly (NamedFeed & { readonly feedId: number | null })[];
};

/** Files that users bring from other readers. @see docs/decisions/0113-imports.md */
@Injectable()
export class ImportsService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly imports: ImportsRepository,
    private readonly readings: ImportReadings,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly jobs: JobQueue,
  ) {}

  /** Newest first. */
  async list(reader: Reader): Promise<NewsImport[]> {
    return this.imports.list(reader.id);
  }

  /** @throws ImportNotFound */
  async one(reader: Reader, id: number): Promise<ShownImport> {
    const found = ImportNotFound.unless(await this.imports.find(reader.id, id), id);
    const addresses = found.feeds.map(({ url }) => feedUrlOf(url) ?? url);
    const followed = await this.subscriptions.followedAt(reader.id, addresses);
    const namedFeeds = found.feeds.map((feed, place) => ({
      ...feed,
      feedId: followed.get(addresses[place] ?? '')?.id ?? null,
    }));
    return { ...found, namedFeeds };
  }

  /**
   * Reads a file on disk, and tells what it holds; nothing is imported yet.
   *
   * @throws UnreadableImport, LimitReached
   */
  async read(reader: Reader, file: string): Promise<ShownImport> {
    return this.one(reader, await this.readings.read(reader, file));
  }

  /** Has a preview imported; one that is under way goes on. @throws ImportNotFound, ImportStarted, ImportUnderWay */
  async start(reader: Reader, id: number): Promise<void> {
    await this.#begin(reader, id, 'running', ({ state }) => {
      if (state !== 'preview') {
        throw new ImportStarted();
      }
    });
  }

  /** Has an import undone; one that is being undone goes on. @throws ImportNotFound, ImportNotUndone, ImportUnderWay */
  async undo(reader: Reader, id: number): Promise<void> {
    await this.#begin(reader, id, 'undoing', (found) => {
      if (!canBeUndone(found)) {
        throw new ImportNotUndone();
      }
    });
  }

  /**
   * Stops an import that is under way, of which what is done stays; forgets any other one, which cannot be undone
   * then.
   *
   * @throws ImportNotFound, ImportUnderWay for one that is being undone
   */
  async remove(reader: Reader, id: number): Promise<void> {
    await this.readers.change(
      reader,
      async (tx, locked) => {
        const { state } = ImportNotFound.unless(await this.imports.find(locked.id, id, tx), id);
        if (state === 'undoing') {
          throw new ImportUnderWay();
        }
        await this.imports.remove(locked.id, id, tx, state !== 'running');
        if (state === 'running') {
          await this.imports.setState(locked.id, id, 'cancelled', tx);
        }
      },
      'upkeep',
    );
  }

  async #begin(
    reader: Reader,
    importId: number,
    state: 'running' | 'undoing',
    check: (found: NewsImport) => void,
  ): Promise<void> {
    const { userId } = reader;
    await this.readers.change(
      reader,
      async (tx: Transaction, locked) => {
        const found = await this.imports.find(locked.id, importId, tx);
        const present = ImportNotFound.unless(found, importId);
        if (present.state !== state) {
          check(present);
          if (await this.imports.isBusy(locked.id, tx)) {
            throw new ImportUnderWay();
          }
          await this.imports.setState(locked.id, importId, state, tx);
        } else if (await this.jobs.has(IMPORTS, userId, tx)) {
          return;
        }
        // Also where it is lost, without waiting for `ImportWork.tidy`.
        await this.jobs.send(IMPORTS, [{ key: userId, payload: { userId, importId } }], tx);
      },
      'upkeep',
    );
    this.jobs.wake(IMPORTS);
  }
}

export function canBeUndone({ state, endedSeconds }: NewsImport): boolean {
  const hasEnded = state === 'done' || state === 'cancelled';
  return hasEnded && (endedSeconds ?? 0) > Date.now() / 1000 - UNDONE_WITHIN_SECONDS;
}
