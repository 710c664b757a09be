import { Injectable } from '@nestjs/common';
import { SpeechToText, type Recording } from '../common/ports/speech-to-text.js';
import type { Account } from '../common/ports/user-directory.js';
import type { SpeechToTextFields } from './registration-fields.js';
import { RegistrationsRepository } from './store/registrations.repository.js';
import { NoProvider } from './tasks.errors.js';
import { TasksService } from './tasks.service.js';

/** Transcription by external apps. */
@Injectable()
export class SpeechToTextService extends SpeechToText {
  constructor(
    private readonly tasks: TasksService,
    private readonly registrations: RegistrationsRepository,
  ) {
    super();
  }

  override async available(): Promise<boolean> {
    return (await this.#providers()).length > 0;
  }

  override async transcribe(
    account: Account,
    recording: Recording,
    maxSeconds?: number,
  ): Promise<string> {
    const [provider] = await this.#providers();
    if (provider === undefined) {
      throw new NoProvider('Nobody provides speech to text.');
    }
    const { bytes, filename, mime } = recording;
    return this.tasks.run({
      kind: 'speech_to_text',
      provider,
      userId: account.userId,
      input: { filename, mime },
      file: bytes,
      ...(maxSeconds !== undefined && { maxSeconds }),
    });
  }

  #providers() {
    return this.registrations.ofEnabledApps<SpeechToTextFields>('speech_to_text');
  }
}
