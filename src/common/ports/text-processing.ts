import { Offer } from './offer.js';
import type { Patience } from './patience.js';
import type { Account } from './user-directory.js';

export type TextTask = 'free_prompt' | 'headline' | 'summary' | 'topics';

/** Port to text processing by providers; implemented by the app-api room. */
export interface TextProcessing {
  /** Task types that have a provider now. */
  taskTypes(): Promise<TextTask[]>;

  /**
   * Waits for the result.
   *
   * @throws NoProvider without a provider
   * @throws TaskFailed with the provider's message, or on timeout
   */
  processText(
    account: Account,
    type: TextTask,
    prompt: string,
    patience?: Patience,
  ): Promise<string>;
}

export class TextProcessingOffer extends Offer<TextProcessing> {}
