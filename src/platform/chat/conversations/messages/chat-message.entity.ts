import { entityOf, p } from '../../../../database/entity-of.js';
import type { Actor, MessageKind, MessageParameters, SystemMessage } from './message.js';

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
  /** Notifies nobody. */
  silent: p.boolean().default(false),
  createdAt: p.datetime().defaultRaw('clock_timestamp()'),
  editedAt: p.datetime().strictNullable(),
  editorType: p.text().$type<Actor['type']>().strictNullable(),
  editorId: p.text().strictNullable(),
  editorDisplayName: p.text().strictNullable(),
}) {}
