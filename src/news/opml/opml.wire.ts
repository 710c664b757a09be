import { shownSentence } from '../../common/texts/visitor-language.js';

/** Feeds that were not imported or cannot be fetched, with the reason in the user's language. */
export function toRefusedFeedsJson<Refused extends { readonly reason: string }>(
  feeds: readonly Refused[],
): Refused[] {
  return feeds.map((feed) => ({ ...feed, reason: shownSentence(feed.reason) }));
}
