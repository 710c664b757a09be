import { Offer } from './offer.js';

/** Port to the consent of users to external apps; implemented by the app-api room. */
export interface AppConsent {
  /**
   * Passes if the user has allowed the app to use the feed reader. The first call that does not pass asks
   * the user. At most one statement if it passes.
   *
   * @throws DomainError `forbidden`, with a remedy
   */
  require(appId: string, userId: string): Promise<void>;
}

export class AppConsentOffer extends Offer<AppConsent> {}
