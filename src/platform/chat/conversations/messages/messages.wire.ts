import { z } from 'zod';
import { isBetweenTwo } from '../model/conversation.js';
import type { Conversation } from '../model/conversations.repository.js';
import type { ReactionCount } from '../model/reactions.repository.js';
import type { Mentionable } from './mentions.service.js';
import type { Message } from '../model/messages.repository.js';
import type { ShownMessage } from './shown-messages.service.js';

export function toMessageJson({ message, parent, reactions }: ShownMessage, token: string) {
  return {
    ...toPlainMessageJson(message, reactions.get(message.id), token),
    ...toOwnReactionsJson(reactions.get(message.id)),
    ...(parent !== null && {
      parent: {
        ...toPlainMessageJson(parent, reactions.get(parent.id), token),
        ...toOwnReactionsJson(reactions.get(parent.id)),
        ...(parent.kind === 'comment_deleted' && { deleted: true }),
      },
    }),
  };
}

export type MessageJson = ReturnType<typeof toMessageJson>;

/** A message without its parent and without the caller's own reactions. */
export function toPlainMessageJson(
  message: Message,
  reactions: readonly ReactionCount[] | undefined,
  token: string,
) {
  const { id, actor, kind, edited } = message;
  return {
    id,
    token,
    actorType: actor.type,
    actorId: actor.id,
    actorDisplayName: actor.displayName,
    timestamp: message.createdSeconds,
    message: message.message,
    messageParameters: message.parameters,
    systemMessage: message.systemMessage,
    messageType: kind,
    isReplyable: kind === 'comment',
    referenceId: message.referenceId,
    expirationTimestamp: 0,
    reactions: Object.fromEntries(
      (reactions ?? []).map(({ reaction, count }) => [reaction, count]),
    ),
    markdown: kind === 'comment',
    ...(kind === 'comment' && { silent: message.silent }),
    ...(edited !== null && {
      lastEditActorType: edited.actor.type,
      lastEditActorId: edited.actor.id,
      lastEditActorDisplayName: edited.actor.displayName,
      lastEditTimestamp: edited.seconds,
    }),
  };
}

function toOwnReactionsJson(reactions: readonly ReactionCount[] = []) {
  const own = reactions.filter((one) => one.own);
  return own.length === 0 ? {} : { reactionsSelf: own.map(({ reaction }) => reaction) };
}

/** Suggestions that match the search, `@all` first. */
export function toMentionsJson(
  people: readonly Mentionable[],
  conversation: Conversation,
  search: string,
  limit: number,
) {
  const wanted = search.toLowerCase();
  const everybody = { id: 'all', mentionId: 'all', label: conversation.name, source: 'calls' };
  const suggestions = people.map(({ userId, displayName }) => ({
    id: userId,
    mentionId: userId,
    label: displayName,
    source: 'users',
  }));
  return [...(isBetweenTwo(conversation) ? [] : [everybody]), ...suggestions]
    .filter(({ id, label }) => [id, label].some((name) => name.toLowerCase().includes(wanted)))
    .slice(0, limit);
}

const plainMessageFields = {
  id: z.int(),
  token: z.string(),
  actorType: z.string(),
  actorId: z.string(),
  actorDisplayName: z.string(),
  timestamp: z.int().describe('Unix seconds.'),
  message: z.string(),
  messageParameters: z.unknown(),
  systemMessage: z.string(),
  messageType: z.string(),
  isReplyable: z.boolean(),
  referenceId: z.string(),
  expirationTimestamp: z.int(),
  reactions: z.record(z.string(), z.int()),
  markdown: z.boolean(),
  silent: z.boolean().optional(),
  lastEditActorType: z.string().optional(),
  lastEditActorId: z.string().optional(),
  lastEditActorDisplayName: z.string().optional(),
  lastEditTimestamp: z.int().optional(),
};

export const PlainMessageSchema = z.object(plainMessageFields).meta({ id: 'PlainMessage' });

const reactionsSelf = z.array(z.string()).optional();

export const MessageAnswer = z
  .object({
    ...plainMessageFields,
    reactionsSelf,
    parent: z
      .object({ ...plainMessageFields, reactionsSelf, deleted: z.literal(true).optional() })
      .optional(),
  })
  .meta({ id: 'Message' });

export const MessagesAnswer = z.array(MessageAnswer);

export const MentionsAnswer = z.array(
  z.object({ id: z.string(), mentionId: z.string(), label: z.string(), source: z.string() }),
);
