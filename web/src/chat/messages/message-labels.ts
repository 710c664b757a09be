import { RoomType, type PlainMessage, type RichObject, type Room } from '../chat-api.js';
import { objectsOf, plainTextOf } from './parse-message.js';
import { isOwn } from './timeline.store.js';

type Translate = (key: string, named?: Record<string, unknown>) => string;

/** System messages with translations; others are shown as sent by the service. */
const SYSTEM_MESSAGES = new Set([
  'conversation_created',
  'conversation_renamed',
  'description_set',
  'description_removed',
  'user_added',
  'user_removed',
  'moderator_promoted',
  'moderator_demoted',
]);

/** Text of a system message, with its placeholders. */
export function systemTextOf(message: PlainMessage, t: Translate): string {
  const { systemMessage } = message;
  if (!SYSTEM_MESSAGES.has(systemMessage)) {
    return message.message;
  }
  const objects = objectsOf(message.messageParameters);
  const names = Object.fromEntries(Object.keys(objects).map((name) => [name, `{${name}}`]));
  return t(`chat.system.${systemMessage}${isAboutActor(objects) ? '_self' : ''}`, names);
}

export function authorOf(message: PlainMessage, t: Translate): string {
  return message.actorType === 'deleted_users' || message.actorDisplayName === ''
    ? t('chat.formerUser')
    : message.actorDisplayName;
}

/** Preview of the last message for the list of conversations. */
export function summaryOf({ lastMessage, type }: Room, t: Translate): string {
  if (Array.isArray(lastMessage)) {
    return '';
  }
  const message = lastMessage as PlainMessage;
  if (message.messageType === 'system') {
    const text = systemTextOf(message, t);
    return plainTextOf({ ...message, message: text });
  }
  const said = quoteOf(message, t);
  if (isOwn(message)) {
    return t('chat.saidByYou', { text: said });
  }
  return type === RoomType.oneToOne
    ? said
    : t('chat.saidBy', { name: authorOf(message, t), text: said });
}

/** One-line text of a message. */
export function quoteOf(message: PlainMessage, t: Translate): string {
  return message.messageType === 'comment_deleted'
    ? t('chat.messageDeleted')
    : plainTextOf(message);
}

function isAboutActor({ actor, user }: Readonly<Record<string, RichObject>>): boolean {
  return actor !== undefined && user !== undefined && actor.id === user.id;
}
