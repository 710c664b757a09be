import type { ParticipantType } from '../conversations/model/conversation.js';
import { botActorId, type Actor } from '../conversations/model/message.js';
import type { Message } from '../conversations/model/messages.repository.js';

interface MessageContext {
  readonly message: Message;
  /** The message that was replied to, edited or reacted to. */
  readonly parent: Message | null;
  /** Undefined when the author is no longer a participant. */
  readonly authorType: ParticipantType | undefined;
  readonly token: string;
  readonly conversationName: string;
}

/**
 * The Activity Streams 2.0 object that bots receive for a message.
 *
 * @returns null for a reaction to a deleted message
 */
export function activityOfMessage(context: MessageContext) {
  const { message, parent, token, conversationName } = context;
  const actor = person(context);
  const target = collection(token, conversationName);
  if (message.systemMessage === 'reaction' || message.systemMessage === 'reaction_revoked') {
    if (parent === null) {
      return null;
    }
    const content = String(message.parameters['reaction']?.['id'] ?? '');
    const like = { type: 'Like', actor, object: note(parent), target, content };
    return message.systemMessage === 'reaction'
      ? like
      : { type: 'Undo', actor, object: like, target };
  }
  const isWritten = message.kind === 'comment';
  return {
    type: isWritten ? 'Create' : 'Activity',
    actor,
    object: {
      ...note(message),
      ...(isWritten &&
        parent !== null && {
          inReplyTo: { actor: plainActor(parent.actor), object: note(parent) },
        }),
    },
    target,
  };
}

export function activityOfPresence(presence: {
  readonly what: 'Join' | 'Leave';
  readonly botId: string;
  readonly botName: string;
  readonly token: string;
  readonly conversationName: string;
}) {
  const { what, botId, botName, token, conversationName } = presence;
  return {
    type: what,
    actor: { type: 'Application', id: `bots/${botActorId(botId)}`, name: botName },
    object: collection(token, conversationName),
  };
}

function person({ message, authorType }: MessageContext) {
  return {
    ...plainActor(message.actor),
    ...(authorType !== undefined && { talkParticipantType: String(authorType) }),
  };
}

function plainActor({ type, id, displayName }: Actor) {
  const objectType = type === 'bots' ? 'Application' : 'Person';
  return { type: objectType, id: `${type}/${id}`, name: displayName };
}

function note({ id, kind, systemMessage, message, parameters }: Message) {
  return {
    type: 'Note',
    id: String(id),
    name: kind === 'system' ? systemMessage : 'message',
    content: JSON.stringify({ message, parameters }),
    mediaType: kind === 'system' ? 'text/plain' : 'text/markdown',
  };
}

function collection(token: string, name: string) {
  return { type: 'Collection', id: token, name };
}
