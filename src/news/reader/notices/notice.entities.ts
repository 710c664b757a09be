import { entityOf, p } from '../../../database/entity-of.js';
import type { QuietHours } from './local-time.js';

export const CHANNEL_KINDS = ['push', 'mail', 'webhook', 'app'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** Services that keep pages. Their channels get what is sent on, and tell nothing. */
export const SAVING_FORMS = [
  'wallabag',
  'karakeep',
  'linkwarden',
  'readwise',
  'instapaper',
  'raindrop',
  'readeck',
  'linkding',
  'shaarli',
] as const;
export type SavingForm = (typeof SAVING_FORMS)[number];

/** Servers that tell somebody. */
export const TELLING_FORMS = [
  'standard',
  'ntfy',
  'gotify',
  'pushover',
  'apprise',
  'slack',
  'discord',
  'teams',
  'matrix',
] as const;
export type TellingForm = (typeof TELLING_FORMS)[number];

export const WEBHOOK_FORMS = [...TELLING_FORMS, ...SAVING_FORMS] as const;
export type WebhookForm = (typeof WEBHOOK_FORMS)[number];

/** A way by which a reader is told. */
export class NoticeChannelEntity extends entityOf('notice_channel', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  readerId: p.bigint('number').primary(),
  kind: p.text().$type<ChannelKind>(),
  /** Null unless it is a webhook. */
  form: p.text().$type<WebhookForm>().strictNullable(),
  name: p.text(),
  enabled: p.boolean().default(true),
  /** Whether it is told of feeds with credentials. */
  privateFeeds: p.boolean().default(false),
  /** Where it leads, without secrets: a host, an app, a mail address. */
  target: p.text(),
  /** Digest of the whole address: a reader has no channel twice. */
  targetKey: p.blob().$type<Buffer>(),
  /** A `ChannelAddress` as JSON, sealed. */
  sealed: p.blob().$type<Buffer>(),
  failingSince: p.datetime().strictNullable(),
  lastError: p.text().strictNullable(),
  /** Why the service switched it off; null if it did not. */
  offReason: p.text().strictNullable(),
}) {}

/** In place of the id of a rule: the user sent the article on. */
export const BY_HAND = 0;

/** `dropped`: not sent, for instance since the article was read meanwhile. */
export type NoticeState = 'waiting' | 'sent' | 'failed' | 'dropped';

/** That a reader is told of an item by a channel, once for each rule: outbox, and list of what was told. */
export class NoticeEntity extends entityOf('notice', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  readerId: p.bigint('number').primary(),
  /** `BY_HAND`: the user sent it on. */
  ruleId: p.bigint('number'),
  ruleName: p.text(),
  itemId: p.bigint('number'),
  channelId: p.bigint('number'),
  urgent: p.boolean(),
  /** Key of the message that tells several: `digest …`, `quiet …`, `flood …`; null: by itself. */
  gathered: p.text().strictNullable(),
  state: p.text().$type<NoticeState>().defaultRaw("'waiting'::text"),
  /** Why it was not sent, a sentence; null otherwise. */
  reason: p.text().strictNullable(),
  attempts: p.smallint().default(0),
  createdAt: p.datetime(),
  /** When it is or was sent; with `dropped`, when it would have been. */
  dueAt: p.datetime(),
  /** When a job has to be sent for it: after `dueAt`, unless the one that was sent was lost. */
  wakeAt: p.datetime(),
  /** As the user was told; null while it waits. */
  title: p.text().strictNullable(),
  feedId: p.bigint('number').strictNullable(),
  feedTitle: p.text().strictNullable(),
  channelName: p.text().strictNullable(),
}) {}

/** When a reader wants to be told. Without a row, `DEFAULT_SETTINGS`. */
export class NoticeSettingsEntity extends entityOf('notice_settings', {
  readerId: p.bigint('number').primary(),
  quiet: p.json().$type<QuietHours>().strictNullable(),
  /** IANA name. */
  timeZone: p.text(),
  notWhileReading: p.boolean(),
  mostPerRuleAndHour: p.integer(),
}) {}

/** The keys of Web Push (RFC 8292); at most one row. */
export class PushKeyEntity extends entityOf('push_key', {
  name: p.text().primary(),
  /** base64url, as browsers take it. */
  publicKey: p.text(),
  /** The private key, sealed. */
  sealed: p.blob().$type<Buffer>(),
}) {}
