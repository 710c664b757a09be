import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { InvalidInput } from '../../../common/errors/domain-error.js';
import type { Patience } from '../../../common/ports/patience.js';
import { SpeechToTextOffer, type Recording } from '../../../common/ports/speech-to-text.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { MIB } from '../../../common/units.js';
import { SPEECH_TO_TEXT_PROVIDER } from './providers.js';
import { RegistrationsRepository } from '../../capabilities/registrations.repository.js';
import { OlderTasks } from './older-tasks.service.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import type { Task } from './tasks.repository.js';
import { NoProvider, RecordingTooLarge } from '../task-processing.errors.js';
import { TasksService, type Assignment } from './tasks.service.js';

/** A recording that is being received. */
export interface ArrivingRecording extends Pick<Recording, 'filename' | 'mime'> {
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** The id of its task type. */
const TRANSCRIBE = 'core:audio2text';

/** No caller waits for scheduled tasks, and small machines are slow. */
const SCHEDULED_SECONDS = 3600;

/** Transcription by external apps: by task processing if it has a provider. */
@Injectable()
export class SpeechToTextService {
  constructor(
    private readonly catalogue: TaskCatalogue,
    private readonly older: OlderTasks,
    private readonly tasks: TasksService,
    private readonly registrations: RegistrationsRepository,
    private readonly config: Config,
    offer: SpeechToTextOffer,
  ) {
    offer.fill(this);
  }

  async available(): Promise<boolean> {
    return (await this.#isPulled()) || (await this.#providers()).length > 0;
  }

  async transcribe(account: Account, recording: Recording, patience?: Patience): Promise<string> {
    if (await this.#isPulled()) {
      const { filename, mime, bytes } = recording;
      const uploads = { input: { filename, mime, bytes: [bytes] } };
      return this.older.run(account, { typeId: TRANSCRIBE, input: {}, uploads }, patience);
    }
    const assignment = await this.#assignment(account, recording);
    return this.tasks.run({ ...assignment, recording: [recording.bytes] }, patience);
  }

  /**
   * Stores a recording and schedules its transcription.
   *
   * @param note returned to the caller with the task
   * @throws NoProvider
   * @throws RecordingTooLarge, or InvalidInput if it is empty
   */
  async schedule(
    account: Account,
    recording: ArrivingRecording,
    note: Task['note'],
  ): Promise<Task> {
    if (await this.#isPulled()) {
      const { filename, mime, chunks } = recording;
      const { userId } = account;
      return this.older.schedule(
        { kind: 'speech_to_text', userId, input: { filename, mime }, note },
        {
          typeId: TRANSCRIBE,
          input: {},
          uploads: { input: { filename, mime, bytes: this.#bounded(chunks) } },
        },
      );
    }
    return this.tasks.schedule({
      ...(await this.#assignment(account, recording)),
      recording: this.#bounded(recording.chunks),
      note,
      maxSeconds: SCHEDULED_SECONDS,
    });
  }

  /** Whether task processing has a provider. */
  async #isPulled(): Promise<boolean> {
    return (await this.catalogue.available()).has(TRANSCRIBE);
  }

  async *#bounded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const mostMebibytes = this.config.largestRecordingMib;
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > mostMebibytes * MIB) {
        throw new RecordingTooLarge(mostMebibytes);
      }
      yield chunk;
    }
    if (bytes === 0) {
      throw new InvalidInput('The recording is empty.');
    }
  }

  async #assignment(
    { userId }: Account,
    { filename, mime }: Pick<Recording, 'filename' | 'mime'>,
  ): Promise<Assignment> {
    const [provider] = await this.#providers();
    if (provider === undefined) {
      throw new NoProvider('No external app provides speech to text.');
    }
    return { kind: 'speech_to_text', provider, userId, input: { filename, mime } };
  }

  #providers() {
    return this.registrations.ofReachableAppsFirst(SPEECH_TO_TEXT_PROVIDER);
  }
}
