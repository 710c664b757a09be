import type { Account } from './user-directory.js';

export interface TranslationRequest {
  readonly text: string;
  /** Language code; null to have it found out. */
  readonly from: string | null;
  readonly to: string;
  /** `appId:name`; whichever can, if not given. */
  readonly provider?: string;
}

export interface TranslatedText {
  readonly text: string;
  /** The language it was translated from; null when the provider did not say. */
  readonly from: string | null;
}

export interface LanguagePair {
  readonly from: string;
  readonly fromLabel: string;
  readonly to: string;
  readonly toLabel: string;
}

/** Port to machine translation by whoever provides it; answered by the app-api room. */
export abstract class Translation {
  /**
   * Waits for the result.
   *
   * @throws NoProvider when nobody translates between these languages
   * @throws LanguageNotDetected
   * @throws TaskFailed with the provider's words, or because it took too long
   */
  abstract translate(account: Account, request: TranslationRequest): Promise<TranslatedText>;

  abstract languages(): Promise<LanguagePair[]>;

  /** Whether some provider can tell which language a text is in. */
  abstract detectsLanguages(): Promise<boolean>;
}
