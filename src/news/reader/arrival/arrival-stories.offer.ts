import { Offer } from '../../../common/ports/offer.js';
import type { Arrival } from '../../sources/articles/arrivals.js';

/** Looks for stories that articles have in common. Offered by the part of stories. */
export interface ArrivalStories {
  /** Repeatable. Readers who have an article of the story are marked later. */
  arrived(arrival: Arrival, signal: AbortSignal): Promise<void>;
}

export class ArrivalStoriesOffer extends Offer<ArrivalStories> {}
