import type { NewsEventFeed, NewsEventSubtype } from '../../common/ports/news-events.js';
import { entityOf, p } from '../../database/entity-of.js';

/** An event that is not yet in the queues of its listeners. */
export class NewsEventEntity extends entityOf('news_event', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  readerId: p.bigint('number').primary(),
  /** Position among the reader's events. */
  place: p.bigint('number').defaultRaw('(extract(epoch from clock_timestamp()) * 1000000)::bigint'),
  subtype: p.text().$type<NewsEventSubtype>(),
  /** At most `EVENT_ITEMS`; empty for events of feeds. */
  itemIds: p.array(Number).columnType('bigint[]'),
  /** The feed as it was; null for events of items. */
  feed: p.json().columnType('json').$type<NewsEventFeed>().strictNullable(),
}) {}

/** A subtype of events that any enabled app wants, `*` for all. Kept by `want_news_events`. */
export class NewsEventWishEntity extends entityOf('news_event_wish', {
  subtype: p.text().primary(),
}) {}
