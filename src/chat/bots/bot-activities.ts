import type { ParticipantType } from '../conversations/conversation.js';
import type { Actor, Message } from '../messages/message.js';

interface Happening {
  readonly message: Message;
  /** What was answered, edited or reacted to. */
  readonly parent: Message | null;
  /** Of the author, when they still take part. */
  readonly authorType: ParticipantType | undefined;
  readonly token: string;
  readonly conversationName: string;
}

/**
 * What bots are told, in the words of Activity Streams 2.0.
 *
 * @returns null for what says nothing without the message it is about, when that is gone
 */
export function activityOfMessage(happening: Happening) {
  const { message, parent, token, conversationName } = happening;
  const actor = person(happening);
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

/** As which a bot speaks in conversations. */
export function botActorId(botId: string): string {
  return `bot-${botId}`;
}

function person({ message, authorType }: Happening) {
  return {
    ...plainActor(message.actor),
    ...(authorType !== undefined && { talkParticipantType: String(authorType) }),
  };
}

function plainActor({ type, id, displayName }: Actor) {
  const sort = type === 'bots' ? 'Application' : 'Person';
  return { type: sort, id: `${type}/${id}`, name: displayName };
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
