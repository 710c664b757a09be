import { z } from 'zod';
import type { Reaction } from './reactions.repository.js';

/** Grouped by emoji, ordered by the first of each. */
export function toReactionsJson(reactions: readonly Reaction[]) {
  const shown = new Map<string, object[]>();
  for (const { reaction, actor, createdSeconds } of reactions) {
    const ofEmoji = shown.get(reaction) ?? [];
    shown.set(reaction, ofEmoji);
    ofEmoji.push({
      actorType: actor.type,
      actorId: actor.id,
      actorDisplayName: actor.displayName,
      timestamp: createdSeconds,
    });
  }
  return Object.fromEntries(shown);
}

/** By emoji. */
export const ReactionsAnswer = z.record(
  z.string(),
  z.array(
    z.object({
      actorType: z.string(),
      actorId: z.string(),
      actorDisplayName: z.string(),
      timestamp: z.int().describe('Unix seconds.'),
    }),
  ),
);
