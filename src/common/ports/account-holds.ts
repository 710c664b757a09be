import { Offer } from './offer.js';

/** Accounts of which nothing is removed, as an administrator wants it. Offered by `accounts/users`. */
export interface AccountHolds {
  /** User ids. A clean-up asks before it begins; a later hold does not stop it. */
  heldUserIds(): Promise<readonly string[]>;
}

export class AccountHoldsOffer extends Offer<AccountHolds> {}
