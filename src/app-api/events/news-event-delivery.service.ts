import { Injectable } from '@nestjs/common';
import { ExAppUninstallHooks } from '../../common/ports/hooks.js';
import {
  type NewsEvent,
  type NewsEventFeed,
  type NewsEventItem,
  NewsEvents,
  NewsEventSourceOffer,
} from '../../common/ports/news-events.js';
import type { SqlRunner } from '../../database/database.js';
import type { JobAttempt, JobKind } from '../../database/jobs/job-kind.js';
import { JobQueue } from '../../database/jobs/job-queue.js';
import { ExAppsRepository } from '../apps/ex-apps.repository.js';
import { RegistrationsRepository } from '../capabilities/registrations.repository.js';
import { RegistrationsService } from '../capabilities/registrations.service.js';
import { EventPosts } from './event-posts.service.js';
import { EVENTS_LISTENER, type EventsListenerFields, NEWS_EVENT } from './events-listener.js';

type Wishes = Pick<EventsListenerFields, 'feedUrls' | 'folderNames' | 'withBodies'>;

/** The job: one event for one listener. Items are read when it is delivered. */
export interface NewsEventDelivery extends NewsEvent {
  readonly appId: string;
  /** A listener that was unregistered and registered again has another id, and misses the event. */
  readonly registrationId: number;
}

/** One queue per app and user, so that the users of an app do not wait for one another. */
export const NEWS_EVENT_DELIVERIES: JobKind<NewsEventDelivery> = {
  name: 'news-event-delivery',
  deadlineSeconds: 24 * 3600,
  retryDelaySeconds: 2,
  longestRetryDelaySeconds: 900,
  attemptSeconds: 20,
  parallel: 8,
  parallelPerGroup: 2,
  ordered: true,
};

/** Limit for the bodies of one event together. */
const MOST_BODY_CHARACTERS = 1024 * 1024;

/**
 * Delivers events of the feed reader to the apps that listen: like file events, but in order per user.
 *
 * @see docs/app-api-reference.md "Events of the reader"
 */
@Injectable()
export class NewsEventDeliveryService {
  constructor(
    private readonly jobs: JobQueue,
    private readonly registrations: RegistrationsRepository,
    private readonly apps: ExAppsRepository,
    private readonly source: NewsEventSourceOffer,
    private readonly posts: EventPosts,
    newsEvents: NewsEvents,
    listeners: RegistrationsService,
    uninstallHooks: ExAppUninstallHooks,
  ) {
    jobs.carryOut(NEWS_EVENT_DELIVERIES, (job) => this.#deliver(job));
    uninstallHooks.add(async (appId) => {
      await jobs.forget(NEWS_EVENT_DELIVERIES, { keyPrefix: groupOf(appId) });
    });
    // A listener receives everything that is committed after its registration was answered.
    listeners.onRegistered(EVENTS_LISTENER, async (eventType) => {
      if (eventType === NEWS_EVENT) {
        await source.service?.listenersAreSeen();
      }
    });
    newsEvents.subscribe({
      store: (events, tx) => this.#store(events, tx),
      stored: () => jobs.wake(NEWS_EVENT_DELIVERIES),
    });
  }

  async #store(events: readonly NewsEvent[], tx: SqlRunner): Promise<void> {
    const listeners = await this.registrations.ofEnabledApps(EVENTS_LISTENER, tx);
    await this.jobs.send(
      NEWS_EVENT_DELIVERIES,
      listeners.flatMap(({ id, appId, fields }) =>
        events
          .filter((event) => wants(fields, event))
          .map((event) => ({
            key: `${groupOf(appId)}${event.userId}`,
            group: groupOf(appId),
            payload: { ...event, appId, registrationId: id },
          })),
      ),
      tx,
    );
  }

  async #deliver({ payload, signal }: JobAttempt<NewsEventDelivery>): Promise<void> {
    const { appId, registrationId, userId } = payload;
    const app = await this.apps.find(appId);
    const listener = await this.registrations.find(appId, EVENTS_LISTENER, NEWS_EVENT);
    if (!app?.enabled || listener?.id !== registrationId || !wants(listener.fields, payload)) {
      return;
    }
    const { actionHandler: route, withBodies } = listener.fields;
    const bodyCharacters = withBodies ? MOST_BODY_CHARACTERS : 0;
    const items =
      payload.feed === null
        ? await this.source.service?.itemsOf(userId, payload.itemIds, bodyCharacters)
        : [];
    const event = items && toNewsEventPayload(payload, items, listener.fields);
    if (event) {
      await this.posts.post(app, { route, userId, event, signal });
    }
  }
}

function wants({ eventType, eventSubtypes }: EventsListenerFields, event: NewsEvent): boolean {
  return (
    eventType === NEWS_EVENT &&
    (eventSubtypes.length === 0 || eventSubtypes.includes(event.subtype))
  );
}

function groupOf(appId: string): string {
  return `${appId}/${NEWS_EVENT}/`;
}

/**
 * The body that the handler of a listener receives.
 *
 * @param items of the event that still exist
 * @returns null when the listener wants nothing of it
 */
function toNewsEventPayload(
  { subtype, userId, itemIds, feed }: NewsEvent,
  items: readonly NewsEventItem[],
  wishes: Wishes,
) {
  const about = feed === null ? aboutItems(itemIds, items, wishes) : aboutFeed(feed, wishes);
  return (
    about && {
      event_type: NEWS_EVENT,
      event_subtype: subtype,
      event_data: { user_id: userId, ...about },
    }
  );
}

function aboutItems(itemIds: readonly number[], items: readonly NewsEventItem[], wishes: Wishes) {
  const found = new Set(items.map(({ id }) => id));
  const goneItemIds = itemIds.filter((id) => !found.has(id));
  const wanted = items.filter(({ feedUrl, folder }) => matches(wishes, feedUrl, folder));
  if (wanted.length === 0 && goneItemIds.length === 0) {
    return null;
  }
  return {
    items: wanted.map(({ body, ...item }) => (wishes.withBodies ? { ...item, body } : item)),
    ...(goneItemIds.length > 0 && { goneItemIds }),
  };
}

function aboutFeed(feed: NewsEventFeed, wishes: Wishes) {
  return matches(wishes, feed.url, feed.folder) || isGoneWithFolder(feed) ? { feed } : null;
}

/** Feeds of any of the addresses, and all feeds of any of the folders. */
function matches(
  { feedUrls, folderNames }: Wishes,
  feedUrl: string,
  folder: string | null,
): boolean {
  const isFiltered = feedUrls.length + folderNames.length > 0;
  return (
    !isFiltered || feedUrls.includes(feedUrl) || (folder !== null && folderNames.includes(folder))
  );
}

/** The name of a folder that was deleted with the feed is not known any more. */
function isGoneWithFolder({ folderId, folder }: NewsEventFeed): boolean {
  return folderId !== null && folder === null;
}
