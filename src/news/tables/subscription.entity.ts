import { entityOf, p } from '../../database/entity-of.js';

/** A user's subscription to a source: a *feed* of the API. */
export class SubscriptionEntity extends entityOf('subscription', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  readerId: p.bigint('number'),
  sourceId: p.bigint('number'),
  /** Null is the root. */
  folderId: p.bigint('number').strictNullable(),
  /** The address as this user has it, credentials included. */
  url: p.text(),
  /** The user's title; null follows the publisher's. */
  title: p.text().strictNullable(),
  /** 0 no special order, 1 oldest first, 2 newest first. */
  ordering: p.smallint().default(0),
  pinned: p.boolean().default(false),
  addedAt: p.datetime().defaultRaw('now()'),
  /** The source's revision up to which articles were delivered; -1 before the first delivery. */
  deliveredRev: p.bigint('number').defaultRaw("'-1'::integer"),
  /** Time when an updater's request for this feed was last served. */
  updateServedAt: p.datetime().strictNullable(),
  /** When it was marked for deletion. */
  deletedAt: p.datetime().strictNullable(),
  /** Whether items show the full text of their page instead of the feed's text. */
  fullText: p.boolean().default(false),
  /** 0 a changed article keeps its unread flag, 1 it becomes unread. */
  updateMode: p.smallint().default(0),
  /** The revision with which the feed started; null before the first delivery. */
  startedRev: p.bigint('number').strictNullable(),
  /** Unread items, if the reader's `countedMicros` says so. */
  unreadCount: p.integer().default(0),
  /** Starred items, likewise. */
  starredCount: p.integer().default(0),
  /** Newest items that the first delivery leaves unread; null is all, and after that delivery. */
  startUnread: p.integer().strictNullable(),
  /** Hours between fetches that the user wants, 1 to 168; null follows the feed's rhythm. */
  fetchEveryHours: p.smallint().strictNullable(),
  /** Whether its items stay as they are, though the user has the story from another feed. */
  alwaysShown: p.boolean().default(false),
  /** The entry of a group's folder that gives it to the user; null without one. */
  groupFeedId: p.bigint('number').strictNullable(),
  /** Whether that entry is mandatory. */
  isMandatory: p.boolean().default(false),
  /** Whether the user follows it without a group as well. */
  isOwn: p.boolean().default(true),
  /**
   * Of a row that is marked for deletion: infinity if the user has hidden what a group gives, else the time until
   * which the feed of a former group is kept. Null for all others.
   */
  keptUntil: p.datetime().strictNullable(),
}) {}

/** A source that a feed had before its address was changed; the feed keeps the items from it. */
export class FormerSourceEntity extends entityOf('former_source', {
  readerId: p.bigint('number').primary(),
  subscriptionId: p.bigint('number').primary(),
  sourceId: p.bigint('number').primary(),
  /** The subscription's `deliveredRev` and `startedRev` when its address was changed. */
  deliveredRev: p.bigint('number'),
  startedRev: p.bigint('number').strictNullable(),
}) {}

/** The keyword filter of a feed. */
export class SubscriptionFilterEntity extends entityOf('subscription_filter', {
  readerId: p.bigint('number').primary(),
  subscriptionId: p.bigint('number').primary(),
  id: p.bigint('number').autoincrement().generated('identity'),
  /** Comma-separated as typed by the user; empty for none. */
  titleKeywords: p.text(),
  bodyKeywords: p.text(),
  urlKeywords: p.text(),
}) {}

/** A user's folder for feeds. */
export class FolderEntity extends entityOf('folder', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  readerId: p.bigint('number'),
  /** Unique among the reader's folders that are not marked for deletion. */
  name: p.text(),
  /** When it was marked for deletion. */
  deletedAt: p.datetime().strictNullable(),
  /** The group's folder that it shows; null for one of the user's own. */
  groupFolderId: p.bigint('number').strictNullable(),
  /** The name that it got from the group, unless the user has renamed it since. */
  givenName: p.text().strictNullable(),
  /** As of a subscription. */
  keptUntil: p.datetime().strictNullable(),
}) {}
