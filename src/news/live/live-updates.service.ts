import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { AccessChanges } from '../../common/ports/access-changes.js';
import { DatabaseNotices, type NoticeListener } from '../../database/database-notices.js';
import {
  NEWS_CHANNEL,
  type NewsNotice,
  type ReaderNotice,
} from '../reader/delivery/announcements.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';
import { ServiceIsStopping } from './live.errors.js';

/** What is told to a program that listens. */
export type LiveEvent =
  /** New items were given to the user. */
  | {
      readonly name: 'items';
      readonly data: { readonly feedIds: readonly number[] | null; readonly newestItemId: number };
    }
  /** Articles have come that the next synchronisation turns into items. */
  | { readonly name: 'pending'; readonly data: { readonly feedIds: readonly number[] } }
  /** Flags, feeds or folders are other ones now. */
  | { readonly name: 'changed'; readonly data: Readonly<Record<string, never>> };

/** Where events go. Ending it is up to whoever opened it and to us. */
export interface LiveStream {
  send(event: LiveEvent): void;
  end(): void;
}

interface Listener {
  readonly readerId: number;
  readonly userId: string;
  readonly client: string | null;
  readonly stream: LiveStream;
}

/** A user's changes are announced for this long after somebody last asked to hear of them. */
const WATCH_SECONDS = 600;
const RENEW_EVERY_MS = 240_000;

/** Beyond these the oldest one ends: it is likely to have no one at the other end any more. */
const STREAMS_PER_USER = 20;

/**
 * Tells programs what changes while they listen, whichever process the change is made in. It hands
 * out hints and no contents: who hears one synchronises as always, so that a hint that gets lost
 * costs time and nothing else.
 *
 * @see docs/decisions/0020-the-reader-pages.md
 */
@Injectable()
export class LiveUpdates implements BeforeApplicationShutdown {
  readonly #logger = new Logger('Live');
  /** In the order in which they came. */
  readonly #listeners = new Set<Listener>();
  readonly #noticed: NoticeListener = {
    heard: (payload) => {
      const notice = JSON.parse(payload) as NewsNotice;
      this.#lastPassed = this.#lastPassed.then(() => this.#pass(notice));
    },
    resumed: () => void this.#catchUp(),
  };
  /** One after another: some need a look into the database before they are told. */
  #lastPassed: Promise<void> = Promise.resolve();
  #renewal: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(
    private readonly notices: DatabaseNotices,
    private readonly readers: ReadersRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly accessChanges: AccessChanges,
  ) {}

  /**
   * Sends the stream whatever changes for this user after this resolves, until the user's access
   * changes.
   *
   * @param client whose own changes are not told
   * @returns ends it
   * @throws ServiceIsStopping
   */
  async open(userId: string, client: string | null, stream: LiveStream): Promise<() => void> {
    await this.notices.listen(NEWS_CHANNEL, this.#noticed);
    const readerId = await this.readers.watch(userId, WATCH_SECONDS);
    const watch = await this.accessChanges.watch(userId);
    if (this.#isStopping) {
      watch.close();
      throw new ServiceIsStopping();
    }
    const listener = { readerId, userId, client, stream };
    this.#makeRoom(userId);
    this.#listeners.add(listener);
    watch.signal.addEventListener('abort', () => this.#endAll((one) => one === listener));
    this.#renewal ??= setInterval(() => void this.#renew(), RENEW_EVERY_MS).unref();
    return () => {
      watch.close();
      this.#listeners.delete(listener);
    };
  }

  beforeApplicationShutdown(): void {
    this.#isStopping = true;
    clearInterval(this.#renewal);
    this.#endAll(() => true);
  }

  async #pass(notice: NewsNotice): Promise<void> {
    if ('sourceId' in notice) {
      await this.#passArrival(notice.sourceId);
      return;
    }
    this.#passChange(notice);
  }

  #passChange({ readerId, client, items, changed }: ReaderNotice): void {
    for (const listener of this.#listeners) {
      if (listener.readerId !== readerId || (client !== null && listener.client === client)) {
        continue;
      }
      if (items !== null) {
        listener.stream.send({ name: 'items', data: items });
      }
      if (changed) {
        listener.stream.send({ name: 'changed', data: {} });
      }
    }
  }

  async #passArrival(sourceId: number): Promise<void> {
    const readerIds = [...new Set([...this.#listeners].map((listener) => listener.readerId))];
    if (readerIds.length === 0) {
      return;
    }
    try {
      const feeds = await this.subscriptions.feedsOfSource(sourceId, readerIds);
      const feedOf = new Map(feeds.map(({ readerId, feedId }) => [readerId, feedId]));
      for (const { readerId, stream } of this.#listeners) {
        const feedId = feedOf.get(readerId);
        if (feedId !== undefined) {
          stream.send({ name: 'pending', data: { feedIds: [feedId] } });
        }
      }
    } catch (error) {
      this.#logger.warn(`source ${sourceId}: ${(error as Error).message}`);
    }
  }

  /** What happened meanwhile is not known, so everybody looks. */
  async #catchUp(): Promise<void> {
    await this.#renew();
    for (const { stream } of this.#listeners) {
      stream.send({ name: 'changed', data: {} });
    }
  }

  async #renew(): Promise<void> {
    const userIds = new Set([...this.#listeners].map(({ userId }) => userId));
    if (userIds.size === 0) {
      clearInterval(this.#renewal);
      this.#renewal = undefined;
    }
    try {
      for (const userId of userIds) {
        await this.readers.watch(userId, WATCH_SECONDS);
      }
    } catch (error) {
      // The database may be away for a moment; when it is back, everybody is told to look.
      this.#logger.warn(`could not go on watching: ${(error as Error).message}`);
    }
  }

  #makeRoom(userId: string): void {
    const own = [...this.#listeners].filter((listener) => listener.userId === userId);
    const surplus = new Set(own.slice(0, Math.max(0, own.length - STREAMS_PER_USER + 1)));
    this.#endAll((listener) => surplus.has(listener));
  }

  #endAll(isMeant: (listener: Listener) => boolean): void {
    for (const listener of this.#listeners) {
      if (isMeant(listener)) {
        this.#listeners.delete(listener);
        listener.stream.end();
      }
    }
  }
}
