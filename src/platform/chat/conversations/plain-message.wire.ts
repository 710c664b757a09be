import { z } from 'zod';
import type { Message } from './model/messages.repository.js';
import type { ReactionCount } from './model/reactions.repository.js';

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

export const plainMessageFields = {
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
