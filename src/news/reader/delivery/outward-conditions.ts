import { Offer } from '../../../common/ports/offer.js';
import type { Query } from '../../query/query.js';

/** What the rules of readers tell, for the arrival of articles. Offered by the subject of rules. */
export interface OutwardConditions {
  /**
   * The conditions of each reader's rules that are on and tell something, with their scopes as places. Asked
   * when `EarlyReaderEntity.rulesRev` has changed.
   *
   * @param readerIds at most 1000
   */
  of(readerIds: readonly number[]): Promise<ReadonlyMap<number, readonly Query[]>>;
}

export class OutwardConditionsOffer extends Offer<OutwardConditions> {}
