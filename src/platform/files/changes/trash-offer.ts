import { Offer } from '../../../common/ports/offer.js';
import type { Transaction } from '../../../database/database.js';
import type { ExistingPath } from '../tree/resolved-path.js';

/** Without it, what users delete is deleted for good. */
export class TrashOffer extends Offer<{
  /** @param tx of `NodesRepository.change`; call `TreeRemovals.wake` when it has committed */
  put(tx: Transaction, resolved: ExistingPath): Promise<void>;
}> {}
