import type { Account } from './user-directory.js';

export interface Recording {
  readonly bytes: Uint8Array;
  readonly filename: string;
  readonly mime: string;
}

/** Port to transcription by whoever provides it; answered by the app-api room. */
export abstract class SpeechToText {
  /** Whether somebody does this now. */
  abstract available(): Promise<boolean>;

  /**
   * Waits for the words that were spoken.
   *
   * @param maxSeconds for the whole of the work; a few minutes unless told
   * @throws NoProvider when nobody does this
   * @throws TaskFailed with the provider's words, or because it took too long
   */
  abstract transcribe(account: Account, recording: Recording, maxSeconds?: number): Promise<string>;
}
