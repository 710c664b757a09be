import { z } from 'zod';
import { shownSentence } from '../../common/texts/visitor-language.js';

/** Feeds that were not imported or cannot be fetched, with the reason in the user's language. */
export function toRefusedFeedsJson<Refused extends { readonly reason: string }>(
  feeds: readonly Refused[],
): Refused[] {
  return feeds.map((feed) => ({ ...feed, reason: shownSentence(feed.reason) }));
}

export const ImportAnswer = z.object({
  imported: z.int(),
  alreadyThere: z.int(),
  invalid: z.array(z.looseObject({ reason: z.string() })),
});

export const ImportProgressAnswer = z.object({
  feeds: z.int(),
  fetched: z.int(),
  failing: z.int(),
  failures: z.array(
    z.object({ feedId: z.int(), title: z.string(), url: z.string(), reason: z.string() }),
  ),
});

export const StatusAndMessageAnswer = z.object({ status: z.string(), message: z.string() });
