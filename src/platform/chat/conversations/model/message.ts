import type { ChatBot } from '../../../../common/ports/chat-bots.js';
import type { RichObject } from '../../../../common/ports/notification-center.js';
import type { Account } from '../../../../common/ports/user-directory.js';

/** The author of a message or reaction. */
export interface Actor {
  readonly type: 'users' | 'bots' | 'deleted_users';
  readonly id: string;
  readonly displayName: string;
}

export type MessageKind = 'comment' | 'system' | 'comment_deleted';

/** Types of system messages, with the names of the protocol. */
export type SystemMessage =
  | 'conversation_created'
  | 'conversation_renamed'
  | 'description_set'
  | 'description_removed'
  | 'user_added'
  | 'user_removed'
  | 'moderator_promoted'
  | 'moderator_demoted'
  | 'message_edited'
  | 'message_deleted'
  | 'reaction'
  | 'reaction_revoked';

export type MessageParameters = Readonly<Record<string, RichObject>>;

/** System messages that make clients update another message, and are not displayed. */
const TECHNICAL: ReadonlySet<SystemMessage | ''> = new Set([
  'message_edited',
  'message_deleted',
  'reaction',
  'reaction_revoked',
] as const);

export function isTechnical(message: { readonly systemMessage: SystemMessage | '' }): boolean {
  return TECHNICAL.has(message.systemMessage);
}

export function actorOf({ userId, displayName }: Pick<Account, 'userId' | 'displayName'>): Actor {
  return { type: 'users', id: userId, displayName };
}

export function botActorId(botId: string): string {
  return `bot-${botId}`;
}

export function botActor({ botId, name }: Pick<ChatBot, 'botId' | 'name'>): Actor {
  return { type: 'bots', id: botActorId(botId), displayName: name };
}

/** The value of a placeholder for an actor. */
export function actorParameter({ type, id, displayName }: Actor): RichObject {
  return { type: type === 'users' ? 'user' : 'highlight', id, name: displayName };
}

export const MAX_MESSAGE_CHARACTERS = 32_000;
