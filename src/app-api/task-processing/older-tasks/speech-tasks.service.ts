import { Injectable } from '@nestjs/common';
import type { Patience } from '../../../common/ports/patience.js';
import type { Recording } from '../../../common/ports/speech-to-text.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { TaskScheduler } from '../consumers/task-scheduler.service.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import { textOf } from './text-of-output.js';

/** The id of its task type. */
export const TRANSCRIBE = 'core:audio2text';

/** Transcripts by task processing. */
@Injectable()
export class SpeechTasks {
  constructor(
    private readonly catalogue: TaskCatalogue,
    private readonly scheduler: TaskScheduler,
  ) {}

  /** Whether there is a provider. */
  async available(): Promise<boolean> {
    return (await this.catalogue.available()).has(TRANSCRIBE);
  }

  /**
   * Stores the recording with the task and waits for the transcript.
   *
   * @throws TaskFailed, TaskTypeUnavailable; the reason of `patience.signal`
   */
  async run(
    { userId }: Account,
    { filename, mime, bytes }: Recording,
    patience: Patience = {},
  ): Promise<string> {
    const output = await this.scheduler.run(
      {
        typeId: TRANSCRIBE,
        input: {},
        uploads: { input: { filename, mime, bytes: [bytes] } },
        userId,
        consumer: 'gatefold',
      },
      patience,
    );
    return textOf(output);
  }
}
