import { Offer } from './offer.js';

/** What a group has beside its members, and what goes with it. Offered by the folders of groups. */
export interface GroupBelongings {
  /** Names of its folders of feeds. */
  foldersOf(groupId: string): Promise<readonly string[]>;
}

export class GroupBelongingsOffer extends Offer<GroupBelongings> {}
