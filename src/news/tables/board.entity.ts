import { entityOf, p } from '../../database/entity-of.js';

/** A board of a group: a feed of a group's folder, whose articles its members add. */
export class BoardEntity extends entityOf('board', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  /** Of `group_folder_feed`. */
  feedId: p.bigint('number'),
  sourceId: p.bigint('number'),
}) {}

/** What was added to a board, once however often it was added. */
export class BoardEntryEntity extends entityOf('board_entry', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  boardId: p.bigint('number'),
  /** SHA-256 of the link, or of what identifies an article without one. */
  linkHash: p.blob(),
  title: p.text().strictNullable(),
  url: p.text().strictNullable(),
  /** Rises with each change of who has added it. */
  rev: p.bigint('number').default(1),
}) {}

/** Who added an entry, when and why. */
export class BoardAdditionEntity extends entityOf('board_addition', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  entryId: p.bigint('number'),
  /** Null: the account is gone. */
  userId: p.text().strictNullable(),
  /** Of the account, when it was added. */
  name: p.text(),
  note: p.text(),
  addedAt: p.datetime().defaultRaw('now()'),
}) {}

/** A server that is told what was added to a board. */
export class BoardWebhookEntity extends entityOf('board_webhook', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  boardId: p.bigint('number'),
  form: p.text(),
  name: p.text(),
  /** Where it leads, without secrets. */
  target: p.text(),
  targetKey: p.blob(),
  /** A `ChannelAddress` as JSON, sealed. */
  sealed: p.blob().$type<Buffer>(),
  /** Of its messages. */
  language: p.text(),
  enabled: p.boolean().default(true),
  failingSince: p.datetime().strictNullable(),
  lastError: p.text().strictNullable(),
  /** Why the service switched it off; null if it did not. */
  offReason: p.text().strictNullable(),
  /** It was told all entries up to this one. */
  toldEntryId: p.bigint('number'),
  /** Entries up to this one are told together; `UNTIL_THE_HOUR_ENDS`; or null. */
  gatherTo: p.bigint('number').strictNullable(),
  attempts: p.smallint().default(0),
  dueAt: p.datetime(),
  /** No job is sent for it before. */
  wakeAt: p.datetime(),
  hour: p.datetime(),
  sentInHour: p.integer().default(0),
}) {}

/** When members of a group get a mail with what was added to a board. */
export class BoardDigestEntity extends entityOf('board_digest', {
  boardId: p.bigint('number').primary(),
  /** `HH:MM`. */
  at: p.text(),
  timeZone: p.text(),
  nextAt: p.datetime(),
  /** The digests before have all entries up to this one. */
  toldEntryId: p.bigint('number'),
}) {}

/** A member who does not want it. */
export class BoardDigestRefusalEntity extends entityOf('board_digest_refusal', {
  boardId: p.bigint('number').primary(),
  userId: p.text().primary(),
}) {}
