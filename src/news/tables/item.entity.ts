import { entityOf, p } from '../../database/entity-of.js';

/** A user's view of an article. */
export class ItemEntity extends entityOf('item', {
  readerId: p.bigint('number').primary(),
  /** Unique per reader, rising in the order of commits, never reused. */
  id: p.bigint('number').primary(),
  subscriptionId: p.bigint('number'),
  articleId: p.bigint('number'),
  /** The stamp of its last change, unix microseconds. */
  lastModifiedMicros: p.bigint('number'),
  unread: p.boolean(),
  starred: p.boolean().default(false),
  /** Marked read by the feed's filter. */
  filtered: p.boolean().default(false),
  /** Delivered after the feed had started without it: its id does not follow its article's. */
  late: p.boolean().default(false),
  /** Place in lists by date, unix seconds: the article's, but never later than the delivery. */
  dateSeconds: p.integer().defaultRaw('extract(epoch from now())::integer'),
  /** Stamp of the delivery, unix microseconds; never below the stamp of an item with a lower id. */
  arrivedMicros: p.bigint('number').defaultRaw('(extract(epoch from now()) * 1000000)::bigint'),
}) {}
