import { z } from 'zod';
import { orElse } from '../../common/http/loose-inputs.js';
import { NEWS_EVENT_SUBTYPES } from '../../common/ports/news-events.js';
import { NODE_EVENT_SUBTYPES } from '../../common/ports/node-events.js';
import { identityOf, type Capability } from '../capabilities/capability.js';
import { flag, handler, name, text } from '../field-schemas.js';

/** Type of the events of the feed reader. */
export const NEWS_EVENT = 'news_event';

const SUBTYPES_OF: Readonly<Record<string, readonly string[]>> = {
  node_event: NODE_EVENT_SUBTYPES,
  [NEWS_EVENT]: NEWS_EVENT_SUBTYPES,
};

const MOST_NAMED = 1000;

const feedNames = (longest: number) =>
  z
    .array(text(longest), { error: 'must be a list of texts' })
    .max(MOST_NAMED, { error: `must have at most ${MOST_NAMED} entries` });

const input = z.object({
  eventType: name(32),
  /** Empty for all of them. */
  eventSubtypes: orElse(z.array(text(64), { error: 'must be a list of texts' }), []),
  actionHandler: handler(410),
  /** Filters of `news_event`; both empty for all feeds. URLs, since ids differ per user. */
  feedUrls: orElse(feedNames(2000), []),
  folderNames: orElse(feedNames(1000), []),
  /** Whether items of `news_event` have their bodies. */
  withBodies: orElse(flag, false),
});

export type EventsListenerFields = z.output<typeof input>;

/** A subscription to events of one type, such as changes of files. */
export const EVENTS_LISTENER: Capability<EventsListenerFields> = {
  kind: 'events_listener',
  routes: ['v1/events_listener'],
  input,
  keyInput: z.object({ eventType: name(32) }).transform(({ eventType }) => eventType),
  keyOf: (fields) => fields.eventType,
  warningsOf,
  toJson: ({ fields, ...entry }) => ({
    ...identityOf(entry),
    event_type: fields.eventType,
    event_subtypes: fields.eventSubtypes,
    action_handler: fields.actionHandler,
    ...(fields.eventType === NEWS_EVENT && {
      feed_urls: fields.feedUrls,
      folder_names: fields.folderNames,
      with_bodies: fields.withBodies,
    }),
  }),
  missing: 'No such event listener',
};

function warningsOf({ eventType, eventSubtypes }: EventsListenerFields): string[] {
  const known = Object.hasOwn(SUBTYPES_OF, eventType) ? SUBTYPES_OF[eventType] : undefined;
  return known === undefined
    ? [`There is no event type "${eventType}", only ${Object.keys(SUBTYPES_OF).join(' and ')}.`]
    : eventSubtypes
        .filter((subtype) => !known.includes(subtype))
        .map((subtype) => `${eventType} has no subtype "${subtype}", only ${known.join(', ')}.`);
}
