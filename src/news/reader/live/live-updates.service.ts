import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { AccessChanges } from '../../../common/ports/access-changes.js';
import { DatabaseNotices, type NoticeListener } from '../../../database/notices/notices.js';
import { NEWS_CHANNEL } from '../../sources/source-notice.js';
import { type NewsNotice, type ReaderNotice } from '../delivery/announcements.js';
import { ReaderIdsRepository, type Reader } from '../delivery/reader-ids.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import { FollowersRepository } from '../feeds/followers.repository.js';

/** An event for a listening client. */
export type LiveEvent =
  /** New items were delivered to the user. */
  | {
      readonly name: 'items';
      readonly data: { readonly feedIds: readonly number[] | null; readonly newestItemId: number };
    }
  /** Articles arrived that the next synchronisation will deliver. */
  | { readonly name: 'pending'; readonly data: { readonly feedIds: readonly number[] } }
  /** Flags, contents, feeds or folders changed. */
  | { readonly name: 'changed'; readonly data: Readonly<Record<string, never>> };

/** A stream of events; ended by the client or by this service. */
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

/** A user's changes are announced for this long after the last renewal. */
const WATCH_SECONDS = 600;
const RENEW_EVERY_MS = 240_000;

/** Above this number, the oldest stream is closed; its client has probably disconnected. */
const STREAMS_PER_USER = 20;

/**
 * Sends events to listening clients about changes made in any process. Events are hints without
 * contents: a client that receives one synchronises as usual, so a lost event only costs time.
 *
 * @see docs/decisions/0020-the-reader-pages.md
 */
@Injectable()
export class LiveUpdates implements BeforeApplicationShutdown {
  readonly #logger = new Logger('Live');
  /** Oldest first. */
  readonly #listeners = new Set<Listener>();
  readonly #noticeListener: NoticeListener = {
    heard: (payload) => {
      const notice = JSON.parse(payload) as NewsNotice;
      this.#lastNotice = this.#lastNotice.then(() => this.#forward(notice));
    },
    resumed: () => void this.#catchUp(),
  };
  /** Notices are forwarded in order, although some need a query first. */
  #lastNotice: Promise<void> = Promise.resolve();
  #renewal: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(
    private readonly notices: DatabaseNotices,
    private readonly ids: ReaderIdsRepository,
    private readonly readers: ReadersRepository,
    private readonly followers: FollowersRepository,
    private readonly accessChanges: AccessChanges,
  ) {}

  /**
   * Streams this user's changes from when this resolves until the user's access changes. While the service
   * stops, the stream ends at once, as open ones do: its client reconnects to another process.
   *
   * @param client name whose own changes are omitted; null for none
   * @returns a function that ends the subscription
   */
  async open(reader: Reader, client: string | null, stream: LiveStream): Promise<() => void> {
    await this.notices.listen(NEWS_CHANNEL, this.#noticeListener);
    await this.readers.watch(reader, WATCH_SECONDS);
    const { id: readerId, userId } = reader;
    const watch = await this.accessChanges.watch(userId);
    if (this.#isStopping) {
      watch.close();
      stream.end();
      return () => {};
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

  /**
   * Notifies an open stream of items that its client does not know; otherwise changes between the client's
   * last synchronisation and `open` would wait for the next event.
   *
   * @param knownMicros time of the last change that the client knows
   */
  async reportMissed(reader: Reader, knownMicros: number, stream: LiveStream): Promise<void> {
    const position = await this.readers.stateOf(reader, false);
    if (position.isPending || position.lastModifiedMicros > knownMicros) {
      stream.send({ name: 'changed', data: {} });
    }
  }

  beforeApplicationShutdown(): void {
    this.#isStopping = true;
    clearInterval(this.#renewal);
    this.#endAll(() => true);
  }

  async #forward(notice: NewsNotice): Promise<void> {
    if ('sourceId' in notice) {
      await this.#forwardArrival(notice.sourceId);
      return;
    }
    this.#forwardChange(notice);
  }

  #forwardChange({ readerId, client, items, changed }: ReaderNotice): void {
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

  async #forwardArrival(sourceId: number): Promise<void> {
    const readerIds = [...new Set([...this.#listeners].map((listener) => listener.readerId))];
    if (readerIds.length === 0) {
      return;
    }
    try {
      const feeds = await this.followers.feedsOfSource(sourceId, readerIds);
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

  /** Called after a lost connection to the database: notices were missed, so every client synchronises. */
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
        await this.readers.watch(await this.ids.of(userId), WATCH_SECONDS);
      }
    } catch (error) {
      // Once the database is back, `resumed` makes every client synchronise.
      this.#logger.warn(`renewal of watches failed: ${(error as Error).message}`);
    }
  }

  #makeRoom(userId: string): void {
    const own = [...this.#listeners].filter((listener) => listener.userId === userId);
    const surplus = new Set(own.slice(0, Math.max(0, own.length - STREAMS_PER_USER + 1)));
    this.#endAll((listener) => surplus.has(listener));
  }

  #endAll(matches: (listener: Listener) => boolean): void {
    for (const listener of this.#listeners) {
      if (matches(listener)) {
        this.#listeners.delete(listener);
        listener.stream.end();
      }
    }
  }
}
