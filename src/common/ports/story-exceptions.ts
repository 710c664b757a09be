import { Offer } from './offer.js';

/** Feeds whose articles are shown although another feed has the same story. Offered by `news/reader/stories`. */
export interface StoryExceptions {
  showAlways(
    reader: { readonly userId: string; id: number },
    feedId: number,
    isShown: boolean,
  ): Promise<unknown>;
}

export class StoryExceptionsOffer extends Offer<StoryExceptions> {}
