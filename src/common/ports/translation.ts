import { Offer } from './offer.js';
import type { Patience } from './patience.js';
import type { Account } from './user-directory.js';

export interface TranslationRequest {
  readonly text: string;
  /** Language code; null for detection. */
  readonly from: string | null;
  readonly to: string;
  /** `appId:name`; default: any provider of these languages. */
  readonly provider?: string;
}

export interface TranslatedText {
  readonly text: string;
  /** The source language; null if the provider did not report it. */
  readonly from: string | null;
}

export interface LanguagePair {
  readonly from: string;
  readonly fromLabel: string;
  readonly to: string;
  readonly toLabel: string;
}

/** Port to machine translation by providers; implemented by the app-api room. */
export interface Translation {
  /**
   * Waits for the result.
   *
   * @throws NoProvider without a provider for these languages
   * @throws LanguageNotDetected
   * @throws TaskFailed with the provider's message, or on timeout
   */
  translate(
    account: Account,
    request: TranslationRequest,
    patience?: Patience,
  ): Promise<TranslatedText>;

  /**
   * All pairs, each once. Of a provider with hundreds of languages only enough pairs to name each
   * language as source and as target.
   */
  languages(): Promise<LanguagePair[]>;

  /** @param from null to detect the language */
  translates(from: string | null, to: string): Promise<boolean>;

  detectsLanguages(): Promise<boolean>;
}

export class TranslationOffer extends Offer<Translation> {}
