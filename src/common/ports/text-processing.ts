import type { Account } from './user-directory.js';

export type TextTask = 'free_prompt' | 'headline' | 'summary' | 'topics';

/** Port to text processing by whoever provides it; answered by the app-api room. */
export abstract class TextProcessing {
  /** What somebody provides now. */
  abstract taskTypes(): Promise<TextTask[]>;

  /**
   * Waits for the result.
   *
   * @throws NoProvider when nobody does this
   * @throws TaskFailed with the provider's words, or because it took too long
   */
  abstract processText(account: Account, type: TextTask, prompt: string): Promise<string>;
}
