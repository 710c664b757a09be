import type { SqlRunner } from '../sql-runner.js';
import { Offer } from './offer.js';

/** An item that goes, or stays as a copy, and the one that has everything of it now. */
export interface MergedPair {
  readonly itemId: number;
  readonly intoItemId: number;
}

/** What names items, and follows when feeds are merged: published articles. Offered by `news/feeds-out`. */
export interface MergedItemUsers {
  /** In the transaction of the merge. */
  merged(
    reader: { readonly userId: string },
    pairs: readonly MergedPair[],
    tx: SqlRunner,
  ): Promise<void>;
}

export class MergedItemUsersOffer extends Offer<MergedItemUsers> {}
