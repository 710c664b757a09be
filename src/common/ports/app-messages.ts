import { Offer } from './offer.js';

/** Port to external apps that are told what users want them to know; implemented by the app-api room. */
export interface AppMessages {
  /** Enabled apps that listen, by name. */
  receivers(): Promise<readonly { readonly appId: string; readonly name: string }[]>;

  /**
   * Tells one app, now.
   *
   * @param data of the event, with the names of the reference of events
   * @returns the status of its answer; null if it does not listen any more
   * @throws Error when it cannot be reached
   */
  tell(appId: string, userId: string, data: object, signal?: AbortSignal): Promise<number | null>;
}

export class AppMessagesOffer extends Offer<AppMessages> {}
