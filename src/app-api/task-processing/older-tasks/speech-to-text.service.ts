import { Injectable } from '@nestjs/common';
import { InvalidInput } from '../../../common/errors/domain-error.js';
import type { Patience } from '../../../common/ports/patience.js';
import { SpeechToTextOffer, type Recording } from '../../../common/ports/speech-to-text.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { MIB } from '../../../common/units.js';
import { RegistrationsRepository } from '../../capabilities/registrations.repository.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import type { ProcessingTask } from '../queue/processing-task.entity.js';
import { NoProvider, RecordingTooLarge } from '../task-processing.errors.js';
import { TaskProcessingSettings } from '../task-processing.settings.js';
import { TRANSCRIBE } from '../types/older-kinds.js';
import { OlderTasks, type OlderNote, type Work } from './older-tasks.service.js';
import { SPEECH_TO_TEXT_PROVIDER } from './providers.js';

/** A recording that is being received. */
export interface ArrivingRecording extends Pick<Recording, 'filename' | 'mime'> {
  readonly chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Transcription by external apps: by task processing if it has a provider. */
@Injectable()
export class SpeechToTextService {
  constructor(
    private readonly catalogue: TaskCatalogue,
    private readonly tasks: OlderTasks,
    private readonly registrations: RegistrationsRepository,
    private readonly settings: TaskProcessingSettings,
    offer: SpeechToTextOffer,
  ) {
    offer.fill(this);
  }

  async available(): Promise<boolean> {
    return (await this.#isFetched()) || (await this.#providers()).length > 0;
  }

  async transcribe(account: Account, recording: Recording, patience?: Patience): Promise<string> {
    const chunks = [recording.bytes];
    return this.tasks.run(await this.#work(account, { ...recording, chunks }), patience);
  }

  /**
   * Stores a recording and schedules its transcription.
   *
   * @throws NoProvider
   * @throws RecordingTooLarge, or InvalidInput if it is empty
   */
  async schedule(
    account: Account,
    recording: ArrivingRecording,
    note: Omit<OlderNote, 'filename'>,
  ): Promise<ProcessingTask> {
    const { filename } = recording;
    const bounded = { ...recording, chunks: this.#bounded(recording.chunks) };
    return this.tasks.schedule(await this.#work(account, bounded), { ...note, filename });
  }

  /** Whether task processing has a provider. */
  async #isFetched(): Promise<boolean> {
    return (await this.catalogue.available()).has(TRANSCRIBE);
  }

  async *#bounded(chunks: ArrivingRecording['chunks']): AsyncGenerator<Uint8Array> {
    const mostMebibytes = this.settings.largestRecordingMib;
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

  async #work(
    { userId }: Account,
    { filename, mime, chunks: bytes }: ArrivingRecording,
  ): Promise<Work> {
    const work = { typeId: TRANSCRIBE, userId, uploads: { input: { filename, mime, bytes } } };
    if (await this.#isFetched()) {
      return { ...work, input: {} };
    }
    const [provider] = await this.#providers();
    if (provider === undefined) {
      throw new NoProvider('No external app provides speech to text.');
    }
    return { ...work, input: { filename, mime }, provider };
  }

  #providers() {
    return this.registrations.ofReachableAppsFirst(SPEECH_TO_TEXT_PROVIDER);
  }
}
