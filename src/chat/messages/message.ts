import type { RichObject } from '../../common/ports/notification-center.js';

/** Who says or does something. */
export interface Actor {
  readonly type: 'users' | 'bots' | 'deleted_users';
  readonly id: string;
  readonly displayName: string;
}

export type MessageKind = 'comment' | 'system' | 'comment_deleted';

/** What the system tells of; the names are the protocol's. */
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

export interface NewMessage {
  readonly conversationId: number;
  readonly actor: Actor;
  readonly kind: MessageKind;
  /** Empty unless the kind is system. */
  readonly systemMessage: SystemMessage | '';
  /** With `{placeholder}` tokens. */
  readonly message: string;
  readonly parameters: MessageParameters;
  /** The sender's own mark, to know the message again by. */
  readonly referenceId: string;
  readonly parentId: number | null;
  readonly silent: boolean;
}

export interface Message extends NewMessage {
  readonly id: number;
  /** Unix seconds. */
  readonly createdSeconds: number;
  readonly edited: { readonly actor: Actor; readonly seconds: number } | null;
}

export interface Reaction {
  readonly messageId: number;
  readonly actor: Actor;
  readonly reaction: string;
  /** Unix seconds. */
  readonly createdSeconds: number;
}

/** A message with what hangs on it. */
export interface ShownMessage {
  readonly message: Message;
  readonly parent: Message | null;
  /** Of the message and of its parent. */
  readonly reactions: readonly Reaction[];
}

/** Only tell clients to bring a message up to date; shown to nobody. */
const TECHNICAL: ReadonlySet<SystemMessage | ''> = new Set([
  'message_edited',
  'message_deleted',
  'reaction',
  'reaction_revoked',
] as const);

export function isTechnical({ systemMessage }: Pick<Message, 'systemMessage'>): boolean {
  return TECHNICAL.has(systemMessage);
}

/** The placeholder for somebody who did something. */
export function personParameter({ type, id, displayName }: Actor): RichObject {
  return { type: type === 'users' ? 'user' : 'highlight', id, name: displayName };
}

/** What a message holds at most. */
export const MAX_MESSAGE_CHARACTERS = 32_000;
