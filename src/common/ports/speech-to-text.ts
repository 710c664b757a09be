import { Offer } from './offer.js';
import type { Patience } from './patience.js';
import type { Account } from './user-directory.js';

export interface Recording {
  readonly bytes: Uint8Array;
  readonly filename: string;
  readonly mime: string;
}

/** Port to transcription by providers; implemented by the app-api room. */
export interface SpeechToText {
  /** Whether there is a provider now. */
  available(): Promise<boolean>;

  /**
   * Waits for the transcript.
   *
   * @throws NoProvider without a provider
   * @throws TaskFailed with the provider's message, or on timeout
   */
  transcribe(account: Account, recording: Recording, patience?: Patience): Promise<string>;
}

export class SpeechToTextOffer extends Offer<SpeechToText> {}
