import { entityOf, p } from '../../database/entity-of.js';
import type { ItemRule } from '../feed-parser/items/item-identity.js';
import type { PublishingHints } from '../feed-parser/parsed-feed.js';

/** A publisher's document, fetched once for all users who follow it. */
export class SourceEntity extends entityOf('source', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  /** SHA-256 of `url`; with `access`, of both. */
  urlKey: p.blob().$type<Buffer>(),
  /** The normalised address, credentials included. */
  url: p.text(),
  title: p.text().default(''),
  /** The website that the feed belongs to. */
  link: p.text().strictNullable(),
  /** Revision: rises with every change of the articles or of their listing. */
  rev: p.bigint('number').default(0),
  etag: p.text().strictNullable(),
  lastModified: p.text().strictNullable(),
  fetchedAt: p.datetime().strictNullable(),
  /** When an updater last asked for it to be fetched. */
  askedAt: p.datetime().strictNullable(),
  /** Failures in a row. */
  errorCount: p.integer().default(0),
  lastError: p.text().strictNullable(),
  /** Identity rule of items; part of the key unless it is `automatic`. */
  itemRule: p.text().$type<ItemRule>().default('automatic'),
  /** Most items that a document listed. */
  largestDocument: p.integer().default(0),
  iconId: p.bigint('number').strictNullable(),
  /** Where the icon was found. */
  iconUrl: p.text().strictNullable(),
  iconCheckedAt: p.datetime().strictNullable(),
  /** Fetched address instead of `url`, since the publisher moved permanently. */
  effectiveUrl: p.text().strictNullable(),
  /** Target of a permanent redirect that is not yet trusted, since when, and how often it was seen. */
  movingTo: p.text().strictNullable(),
  movingSince: p.datetime().strictNullable(),
  movingSightings: p.integer().default(0),
  /** First 410 Gone answer of the publisher. */
  goneAt: p.datetime().strictNullable(),
  /** Responses in a row that sent no document because nothing had changed. */
  notModifiedInRow: p.integer().default(0),
  /** From the last document that was read. */
  publishingHints: p.json().$type<PublishingHints>().strictNullable(),
  /** Of the version before, for `article_search`. */
  searchRev: p.bigint('number').strictNullable(),
  /** Revision up to which its articles are in the search index. */
  tokensRev: p.bigint('number').default(0),
  /** `url` without credentials and query, for lists and search. */
  shownAddress: p
    .text()
    .strictNullable()
    .generated(
      "(regexp_replace(regexp_replace(url, '^([^/?#]*//)[^/?#]*@'::text, '\\1'::text), '\\?.+$'::text, '?…'::text)) stored",
    ),
  /** Damaged or omitted parts of the last document read. */
  warning: p.text().strictNullable(),
  /** Start of the day that the limit on new articles counts, and their number since then. */
  dayBeganAt: p.datetime().defaultRaw('now()'),
  dayArticles: p.integer().default(0),
  /** Headers that are sent with requests for it, sealed by `FeedAccessBox`; null is none. */
  access: p.blob().$type<Buffer>().strictNullable(),
  /** When the client certificate in `access` ends, and when its followers were last told. */
  certificateEnds: p.datetime().strictNullable(),
  certificateToldAt: p.datetime().strictNullable(),
  /** The user whom its items are given to by requests; null for a source that is fetched. */
  givenTo: p.text().strictNullable(),
}) {}

/** Last run of a task that all processes share. */
export class HousekeepingEntity extends entityOf('housekeeping', {
  task: p.text().primary(),
  doneAt: p.datetime(),
  note: p.text().strictNullable(),
}) {}

/** A source that was deleted, until its articles are; written by a trigger. */
export class RemovedSourceEntity extends entityOf('removed_source', {
  sourceId: p.bigint('number').primary(),
}) {}

/** A raster image that one or several sources show as their icon. */
export class IconEntity extends entityOf('icon', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  /** SHA-256 of `bytes`. */
  contentHash: p.blob(),
  mime: p.text(),
  bytes: p.blob(),
}) {}

/** The address of an icon, or a website, with the last icon that was there for all its feeds. */
export class IconPlaceEntity extends entityOf('icon_place', {
  /** SHA-256 of the address. */
  key: p.blob().primary(),
  /** Asked again then; within ten minutes while a process asks. */
  dueAt: p.datetime(),
  iconId: p.bigint('number').strictNullable(),
  iconUrl: p.text().strictNullable(),
}) {}

/** Due date of a source, and the lease of the process that fetches it. */
export class SourceScheduleEntity extends entityOf('source_schedule', {
  sourceId: p.bigint('number').primary(),
  /** Host name that requests go to. */
  hostKey: p.text(),
  dueAt: p.datetime(),
  /** The publisher asked for no requests before this, after a failure. Counts until `dueAt` at most. */
  restsUntil: p.datetime().strictNullable(),
  /** While it is leased, `dueAt` is the end of the lease. */
  leaseToken: p.uuid().strictNullable(),
  /** Due again right after the running fetch. */
  wantedAgain: p.boolean().default(false),
  /** When `dueAt` was set; in the future after the clock was set back. */
  setAt: p.datetime().defaultRaw('now()'),
}) {}

/** Rate limiting of one host, for all processes together. */
export class HostStateEntity extends entityOf('host_state', {
  hostKey: p.text().primary(),
  /** Start of the first free slot. */
  nextSlotAt: p.datetime(),
  previousSlotAt: p.datetime().strictNullable(),
  /** The host asked for no requests before this. */
  notBefore: p.datetime().strictNullable(),
  /** An allow-listed host, which needs no gap between requests. */
  unspaced: p.boolean().default(false),
  notBeforeSetAt: p.datetime().defaultRaw('now()'),
}) {}

/**
 * `wanted`: to be requested. `asked`: accepted by the hub, which has yet to verify it. `active`: the
 * hub notifies us. `refused`: requested again later. `leaving`: to be unsubscribed.
 */
export type WebSubState = 'wanted' | 'asked' | 'active' | 'refused' | 'leaving';

/** The subscription of a source at a WebSub hub. */
export class WebsubLeaseEntity extends entityOf('websub_lease', {
  callbackId: p.text().primary(),
  sourceId: p.bigint('number').strictNullable(),
  hubUrl: p.text(),
  topicUrl: p.text(),
  /** Plain secret of an older version, to be sealed. */
  secret: p.text().strictNullable(),
  state: p.text().$type<WebSubState>(),
  expiresAt: p.datetime().strictNullable(),
  nextStepAt: p.datetime().defaultRaw('now()'),
  failures: p.integer().default(0),
  lastCallAt: p.datetime().strictNullable(),
  secretSealed: p.blob().strictNullable(),
}) {}
