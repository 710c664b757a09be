import { z } from 'zod';
import { isBetweenTwo } from '../model/conversation.js';
import type { Conversation } from '../model/conversations.repository.js';
import type { ReactionCount } from '../model/reactions.repository.js';
import { plainMessageFields, toPlainMessageJson } from '../plain-message.wire.js';
import type { Mentionable } from './mentions.service.js';
import type { ShownMessage } from './shown-messages.service.js';

export function toMessageJson({ message, parent, reactions }: ShownMessage, token: string) {
  return {
    ...toPlainMessageJson(message, reactions.get(message.id), token),
    ...toOwnReactionsJson(reactions.get(message.id)),
    ...(parent !== null && {
      parent: {
        ...toPlainMessageJson(parent, reactions.get(parent.id), token),
        ...toOwnReactionsJson(reactions.get(parent.id)),
        ...(parent.kind === 'comment_deleted' && { deleted: true as const }),
      },
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
