import type { SqlRunner } from '../sql-runner.js';
import { Offer } from './offer.js';

export const NEWS_EVENT_SUBTYPES = [
  'ItemsDeliveredEvent',
  'ItemsReadEvent',
  'ItemsUnreadEvent',
  'ItemsStarredEvent',
  'ItemsUnstarredEvent',
  'FeedAddedEvent',
  'FeedRemovedEvent',
  'FeedFailingEvent',
  'FeedRecoveredEvent',
  // Told to the app that a user names for a rule: see `AppMessages`.
  'ItemMatchedEvent',
] as const;

export type NewsEventSubtype = (typeof NEWS_EVENT_SUBTYPES)[number];

/** A feed as it was when the event happened. */
export interface NewsEventFeed {
  readonly id: number;
  /** URL without user name and password. */
  readonly url: string;
  /** May be empty. */
  readonly title: string;
  /** Null is the root. */
  readonly folderId: number | null;
  /** Null at the root, and when the folder was deleted with the feed. */
  readonly folder: string | null;
  /** Failed fetches in a row. */
  readonly errorCount: number;
  /** Error of the latest fetch, in English; null if it succeeded. */
  readonly error: string | null;
}

/** An event of one user's items or of one of their feeds. */
export interface NewsEvent {
  readonly subtype: NewsEventSubtype;
  readonly userId: string;
  /** At most 100; empty for events of feeds. */
  readonly itemIds: readonly number[];
  /** Null for events of items. */
  readonly feed: NewsEventFeed | null;
}

/** An item at the time of sending an event, with the names of the News API. */
export interface NewsEventItem {
  readonly id: number;
  readonly guid: string;
  readonly guidHash: string;
  readonly feedId: number;
  /** URL without user name and password. */
  readonly feedUrl: string;
  readonly feedTitle: string;
  readonly folderId: number | null;
  readonly folder: string | null;
  readonly title: string;
  readonly url: string | null;
  readonly author: string | null;
  /** Unix seconds. */
  readonly pubDate: number;
  readonly unread: boolean;
  readonly starred: boolean;
  readonly labels: readonly string[];
  /** HTML; null if not requested or too large. */
  readonly body: string | null;
}

interface NewsEventSubscriber {
  /** Stores events durably, in this transaction. */
  store(events: readonly NewsEvent[], tx: SqlRunner): Promise<void>;
  /** Called after its commit. */
  stored(): void;
}

/** The news room publishes events; other rooms subscribe. A user's events arrive in order. */
export class NewsEvents {
  readonly #subscribers: NewsEventSubscriber[] = [];

  subscribe(subscriber: NewsEventSubscriber): void {
    this.#subscribers.push(subscriber);
  }

  /** Resolves when all subscribers have stored the events; call `committed` after the commit. */
  async publish(events: readonly NewsEvent[], tx: SqlRunner): Promise<void> {
    for (const subscriber of this.#subscribers) {
      await subscriber.store(events, tx);
    }
  }

  committed(): void {
    for (const subscriber of this.#subscribers) {
      subscriber.stored();
    }
  }
}

/** The news room's interface for other rooms about its events. */
export interface NewsEventSource {
  /**
   * The items of an event by id; deleted ones are omitted. Null when the user was deleted.
   *
   * @param mostBodyCharacters of all bodies together; items that do not fit have none, and 0 reads none
   */
  itemsOf(
    userId: string,
    itemIds: readonly number[],
    mostBodyCharacters: number,
  ): Promise<NewsEventItem[] | null>;

  /**
   * Resolves when every change that may not have seen the present listeners has ended: later commits are
   * recorded for them.
   * @throws ServiceUnavailable when a change takes too long
   */
  listenersAreSeen(): Promise<void>;

  /** Resolves when the subscribers have stored, and committed, the events that were being published. */
  publishedAreStored(): Promise<void>;
}

export class NewsEventSourceOffer extends Offer<NewsEventSource> {}
