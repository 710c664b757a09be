import { Req, UnsupportedMediaTypeException } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { Delete, Get, Post } from '../../../common/contracts/routes.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { piecesOfBody } from '../../../common/http/read-bounded-body.js';
import { OcsFailure } from '../../../common/ocs/envelope.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import type { ProcessingTask } from '../queue/processing-task.entity.js';
import { NoProvider, RecordingTooLarge } from '../task-processing.errors.js';
import { OlderTasks } from './older-tasks.service.js';
import { type ArrivingRecording, SpeechToTextService } from './speech-to-text.service.js';
import { looseText, OwnTasks, taskFields, TaskPath, text, toTaskJson } from './task.wire.js';

/** Sent in the query, because the body is the recording. */
const ScheduleSpeech = z.object({
  filename: z.preprocess((value) => value || 'recording', text.max(255)),
  appId: looseText,
  identifier: looseText,
});

const AvailableAnswer = z.object({ available: z.boolean() });

const SpeechTaskSchema = z.object({ ...taskFields, input: z.unknown() }).meta({ id: 'SpeechTask' });

const SpeechTaskAnswer = z.object({ task: SpeechTaskSchema });

const SpeechTasksAnswer = z.object({ tasks: z.array(SpeechTaskSchema) });

const RECORDINGS = ['audio/*', 'video/*', 'application/ogg', 'application/octet-stream'];

const KIND = 'speech_to_text';

/**
 * Speech to text for users. The reference has no routes for it; these follow text processing.
 *
 * @see docs/decisions/0021-work-of-apps-for-users.md
 */
@OcsController('speechtotext')
export class SpeechToTextController {
  constructor(
    private readonly speech: SpeechToTextService,
    private readonly tasks: OlderTasks,
  ) {}

  @Get('available', 'Tells whether recordings can be written down.', AvailableAnswer)
  async available() {
    return { available: await this.speech.available() };
  }

  @Post('schedule', 'Schedules the transcript of a recording.', SpeechTaskAnswer, {
    body: new Media('application/octet-stream', 'The recording.'),
  })
  async schedule(
    @CurrentUser() account: Account,
    @Input(ScheduleSpeech) { filename, appId, identifier }: In<typeof ScheduleSpeech>,
    @Req() request: Request,
  ) {
    try {
      const recording = arrivingRecording(request, filename);
      const task = await this.speech.schedule(account, recording, { appId, identifier });
      return { task: toSpeechTaskJson(task) };
    } catch (error) {
      // Drain the rest, because clients read the response after sending.
      request.resume();
      throw asKnownToClients(error);
    }
  }

  @Get('task/:id', 'Shows a task.', SpeechTaskAnswer)
  async show(@CurrentUser() account: Account, @Input(TaskPath) { id }: In<typeof TaskPath>) {
    return { task: toSpeechTaskJson(await this.tasks.find(account.userId, KIND, id)) };
  }

  @Delete('task/:id', 'Removes a task.', SpeechTaskAnswer)
  async remove(@CurrentUser() account: Account, @Input(TaskPath) { id }: In<typeof TaskPath>) {
    return { task: toSpeechTaskJson(await this.tasks.remove(account.userId, KIND, id)) };
  }

  /** Newest first. */
  @InTurn()
  @Get(['tasks', 'tasks/app/:appId'], 'Lists the tasks of the caller.', SpeechTasksAnswer)
  async list(@CurrentUser() { userId }: Account, @Input(OwnTasks) own: In<typeof OwnTasks>) {
    const tasks = await this.tasks.list(userId, KIND, own);
    return { tasks: tasks.map(toSpeechTaskJson) };
  }
}

function toSpeechTaskJson(task: ProcessingTask) {
  return { ...toTaskJson(task), input: task.older?.filename };
}

function asKnownToClients(error: unknown): unknown {
  if (error instanceof NoProvider) {
    return new OcsFailure(412, error.message);
  }
  return error instanceof RecordingTooLarge ? new OcsFailure(413, error.message) : error;
}

/**
 * The body of a request as a recording, to be streamed.
 *
 * @throws UnsupportedMediaTypeException for other types, such as forms
 */
function arrivingRecording(request: Request, filename: string): ArrivingRecording {
  if (!request.is(RECORDINGS)) {
    throw new UnsupportedMediaTypeException(
      'Send the recording as the body, with a Content-Type such as audio/ogg.',
    );
  }
  return {
    filename,
    mime: (request.headers['content-type'] ?? '').split(';', 1)[0] ?? '',
    chunks: piecesOfBody(request, Infinity),
  };
}
