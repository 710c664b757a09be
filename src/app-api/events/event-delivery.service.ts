import { Injectable } from '@nestjs/common';
import { ExAppUninstallHooks } from '../../common/ports/hooks.js';
import { type NodeEvent, NodeEvents } from '../../common/ports/node-events.js';
import type { SqlRunner } from '../../database/database.js';
import type { DeadLetter, JobAttempt, JobKind } from '../../database/jobs/job-kind.js';
import { JobQueue } from '../../database/jobs/job-queue.js';
import { DeadLetterNotFound } from '../app-api.errors.js';
import { ExAppsRepository } from '../apps/ex-apps.repository.js';
import { ActivationService } from '../apps/lifecycle/activation.service.js';
import { RegistrationsRepository } from '../capabilities/registrations.repository.js';
import { toNodeJson } from '../node-json.js';
import { EventPosts } from './event-posts.service.js';
import { EVENTS_LISTENER, type EventsListenerFields, NEWS_EVENT } from './events-listener.js';
import { NEWS_EVENT_DELIVERIES, type NewsEventDelivery } from './news-event-delivery.service.js';

/** The only type of events. */
const NODE_EVENT = 'node_event';

/** The body that the handler of a listener receives. */
type EventPayload = ReturnType<typeof toEventPayload>;

/** The job: one event for one listener. */
interface EventDelivery {
  readonly appId: string;
  /** A listener that was unregistered and registered again has another id, and misses the event. */
  readonly registrationId: number;
  /** The acting user. */
  readonly userId: string;
  readonly event: EventPayload;
}

/** An event that could not be delivered, as administrators see it. */
export interface UndeliveredEvent {
  readonly appId: string;
  readonly userId: string;
  readonly event: {
    readonly event_type: string;
    readonly event_subtype: string;
    readonly event_data: object;
  };
}

/** One queue per app and event type. */
export const EVENT_DELIVERIES: JobKind<EventDelivery> = {
  name: 'event-delivery',
  deadlineSeconds: 24 * 3600,
  retryDelaySeconds: 2,
  longestRetryDelaySeconds: 900,
  attemptSeconds: 20,
  parallel: 8,
  ordered: true,
};

/**
 * Delivers events to the apps that subscribed to them: durably, in order per listener, and without
 * delaying the change that caused the event.
 *
 * @see docs/app-api-reference.md "Events"
 */
@Injectable()
export class EventDeliveryService {
  constructor(
    private readonly jobs: JobQueue,
    private readonly registrations: RegistrationsRepository,
    private readonly apps: ExAppsRepository,
    private readonly posts: EventPosts,
    nodeEvents: NodeEvents,
    uninstallHooks: ExAppUninstallHooks,
    activation: ActivationService,
  ) {
    jobs.carryOut(EVENT_DELIVERIES, (job) => this.#deliver(job));
    uninstallHooks.add(async (appId) => {
      await jobs.forget(EVENT_DELIVERIES, { keyPrefix: keyOf(appId, '') });
    });
    // Events from before a pause would be stale when the app is enabled again.
    activation.onDisabled((appId) => this.drop(appId));
    nodeEvents.subscribe((event, tx) => this.#store(event, tx));
  }

  /** Undelivered events of files and of the feed reader, oldest first. */
  async deadLetters(): Promise<DeadLetter<UndeliveredEvent>[]> {
    const ofFiles = await this.jobs.deadLetters(EVENT_DELIVERIES);
    const ofNews = await this.jobs.deadLetters(NEWS_EVENT_DELIVERIES);
    return [
      ...ofFiles,
      ...ofNews.map((letter) => ({ ...letter, payload: toUndelivered(letter.payload) })),
    ].toSorted((one, other) => one.givenUpAt.getTime() - other.givenUpAt.getTime());
  }

  /**
   * Appends a dead letter to the queue of its listener again.
   *
   * @throws DeadLetterNotFound
   */
  async retry(deadLetterId: string): Promise<void> {
    for (const kind of [EVENT_DELIVERIES, NEWS_EVENT_DELIVERIES]) {
      if (await this.jobs.retryDeadLetter<object>(kind, deadLetterId)) {
        return;
      }
    }
    throw new DeadLetterNotFound(deadLetterId);
  }

  /**
   * Drops the events of files and of the feed reader that an app has not received yet, because it is
   * disabled.
   *
   * @returns how many events
   */
  async drop(appId: string): Promise<number> {
    const kinds = [EVENT_DELIVERIES, NEWS_EVENT_DELIVERIES];
    const dropped = await Promise.all(kinds.map((kind) => this.jobs.drop(kind, keyOf(appId, ''))));
    return dropped.reduce((sum, count) => sum + count, 0);
  }

  async #store(event: NodeEvent, tx?: SqlRunner): Promise<void> {
    const listeners = await this.registrations.ofEnabledApps(EVENTS_LISTENER, tx);
    const payload = toEventPayload(event);
    await this.jobs.send(
      EVENT_DELIVERIES,
      listeners
        .filter(({ fields }) => wants(fields, payload))
        .map(({ id, appId }) => ({
          key: keyOf(appId, payload.event_type),
          payload: { appId, registrationId: id, userId: event.userId, event: payload },
        })),
      tx,
    );
  }

  async #deliver({ payload, signal }: JobAttempt<EventDelivery>): Promise<void> {
    const { appId, registrationId, userId, event } = payload;
    const app = await this.apps.find(appId);
    const listener = await this.registrations.find(appId, EVENTS_LISTENER, event.event_type);
    if (!app?.enabled || listener?.id !== registrationId || !wants(listener.fields, event)) {
      return;
    }
    const { actionHandler: route } = listener.fields;
    await this.posts.post(app, { route, userId, event, signal });
  }
}

/** Items are named by their ids: they are read when an event is sent. */
function toUndelivered({ appId, userId, subtype, itemIds, feed }: NewsEventDelivery) {
  const about = feed === null ? { itemIds } : { feed };
  return {
    appId,
    userId,
    event: {
      event_type: NEWS_EVENT,
      event_subtype: subtype,
      event_data: { user_id: userId, ...about },
    },
  };
}

function wants({ eventType, eventSubtypes }: EventsListenerFields, event: EventPayload): boolean {
  return (
    eventType === NODE_EVENT &&
    (eventSubtypes.length === 0 || eventSubtypes.includes(event.event_subtype))
  );
}

function keyOf(appId: string, eventType: string): string {
  return `${appId}/${eventType}`;
}

function toEventPayload({ subtype, target, source }: NodeEvent) {
  return {
    event_type: NODE_EVENT,
    event_subtype: subtype,
    event_data: {
      target: toNodeJson(target),
      ...(source && { source: toNodeJson(source) }),
    },
  };
}
