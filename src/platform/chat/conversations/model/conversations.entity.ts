import { entityOf, p } from '../../../../database/entity-of.js';
import type { ConversationType, ParticipantType } from './conversation.js';
import type { Actor, MessageKind, MessageParameters, SystemMessage } from './message.js';

/** A conversation; clients call it a room. */
export class ConversationEntity extends entityOf('conversation', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  /** Id in the addresses of the API. */
  token: p.text(),
  /** See `ConversationType`. */
  type: p.smallint().$type<ConversationType>(),
  /** Empty for one-to-one. */
  name: p.text(),
  description: p.text().default(''),
  /** Both user ids of one-to-one, sorted; unique. */
  pair: p.array().$type<string[]>().strictNullable(),
  /** The last message that lists show. */
  lastMessageId: p.bigint('number').strictNullable(),
  lastActivityAt: p.datetime().defaultRaw('now()'),
  createdAt: p.datetime().defaultRaw('now()'),
  /** Number of messages sent, including deleted ones. Long ones count as several. */
  messageCount: p.bigint('number').default(0),
}) {}

/** A user in a conversation, and how far they have read. */
export class ConversationParticipantEntity extends entityOf('conversation_participant', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  conversationId: p.bigint('number'),
  userId: p.text(),
  /** See `ParticipantType`. */
  type: p.smallint().$type<ParticipantType>().fieldName('participant_type'),
  /** 0 for none. */
  lastReadMessageId: p.bigint('number').default(0),
  /** Last message that mentions the user; 0 for none. */
  lastMentionMessageId: p.bigint('number').default(0),
  joinedAt: p.datetime().defaultRaw('now()'),
}) {}

/** A message of a user, a bot or the system. Ids rise in commit order within a conversation. */
export class ChatMessageEntity extends entityOf('chat_message', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  conversationId: p.bigint('number'),
  actorType: p.text().$type<Actor['type']>(),
  actorId: p.text(),
  actorDisplayName: p.text(),
  kind: p.text().$type<MessageKind>(),
  /** Empty unless `kind` is "system". */
  systemMessage: p.text().$type<SystemMessage | ''>().default(''),
  message: p.text(),
  /** Values of the `{placeholders}` in `message`. */
  parameters: p.json().$type<MessageParameters>().defaultRaw("'{}'::jsonb"),
  /** Chosen by the sender, to recognise its own message. */
  referenceId: p.text().default(''),
  /** The message that is replied to, edited, deleted or reacted to. */
  parentId: p.bigint('number').strictNullable(),
  /** Sends no notifications. */
  silent: p.boolean().default(false),
  createdAt: p.datetime().defaultRaw('clock_timestamp()'),
  editedAt: p.datetime().strictNullable(),
  editorType: p.text().$type<Actor['type']>().strictNullable(),
  editorId: p.text().strictNullable(),
  editorDisplayName: p.text().strictNullable(),
}) {}

/** An emoji of one user or bot under a message. */
export class ChatReactionEntity extends entityOf('chat_reaction', {
  messageId: p.bigint('number').primary(),
  /** See `Actor`. */
  actorType: p.text().$type<Actor['type']>().primary(),
  actorId: p.text().primary(),
  actorDisplayName: p.text(),
  reaction: p.text().primary(),
  createdAt: p.datetime().defaultRaw('clock_timestamp()'),
}) {}
