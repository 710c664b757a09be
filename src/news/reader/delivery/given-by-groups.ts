import { Offer } from '../../../common/ports/offer.js';
import type { Statement } from '../../../database/statement.js';
import type { Reader } from './reader-ids.repository.js';

/** What groups give to their members. Offered by the folders of groups. */
export interface GivenByGroups {
  /** A statement with one row, `isDue`: whether the user should have something else than was given. */
  asking(userId: string): Statement;
  isDue(userId: string): Promise<boolean>;
  /** Gives and takes, under the lock of the reader, who is created if necessary. */
  bringUpToDate(reader: Reader): Promise<void>;
}

export class GivenByGroupsOffer extends Offer<GivenByGroups> {}
