import { Req, UseInterceptors } from '@nestjs/common';
import busboy from 'busboy';
import type { Request } from 'express';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { CallingExApp } from '../../../common/auth/calling-app.decorator.js';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { Post } from '../../../common/contracts/routes.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { wholeNumberThat } from '../../../common/http/loose-inputs.js';
import { piecesOfBody } from '../../../common/http/read-bounded-body.js';
import { readForm } from '../../../common/http/read-form.js';
import { OcsSuccess } from '../../../common/ocs/envelope.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { CallingApp } from '../../../common/ports/app-credentials.js';
import { GatewayAuthGuard } from '../../apps/access/ocs-gateway-controller.decorator.js';
import { UploadedTaskFileAnswer } from '../queue/processing-task.wire.js';
import { TaskFailures } from '../task-failures.interceptor.js';
import { TaskFileMissing } from '../task-processing.errors.js';
import { type ArrivingFile, TaskFilesService } from './task-files.service.js';

const TaskOfFile = z.object({
  taskId: wholeNumberThat((int) => int.nonnegative()),
});

const LIMITS: busboy.Limits = { parts: 20, fields: 20, fieldSize: 64 * 1024, headerPairs: 50 };

/** Closes the connection of a sender that sends nothing for this long. */
const STALLED_AFTER_MS = 300_000;

/** Providers upload the files of their results, before the result. */
@OcsController('taskprocessing/tasks_provider', { guards: [GatewayAuthGuard] })
@UseInterceptors(TaskFailures)
export class TaskUploadsController {
  constructor(private readonly files: TaskFilesService) {}

  @Post(':taskId/file', 'Receives a file of a result.', UploadedTaskFileAnswer, {
    also: [201],
    body: new Media('multipart/form-data', 'A form with the field `file`.'),
  })
  async upload(
    @CallingExApp() { appId }: CallingApp,
    @Input(TaskOfFile) { taskId }: In<typeof TaskOfFile>,
    @Req() request: Request,
  ) {
    request.setTimeout(STALLED_AFTER_MS, () => request.destroy());
    try {
      const fileId = await takeFormFile(request, 'file', (file) =>
        this.files.receive(taskId, appId, file),
      );
      return new OcsSuccess(201, { fileId });
    } finally {
      // Drain the rest, because clients read the response after sending.
      request.resume();
    }
  }
}

/**
 * Reads a form (`multipart/form-data`) as it arrives, and passes on its file.
 *
 * @param field name of the file's part; other parts are ignored
 * @param take must read the bytes to their end, or reject
 * @returns what `take` returned
 * @throws TaskFileMissing if the body is no such form; errors of `take`
 */
async function takeFormFile<Result>(
  request: Request,
  field: string,
  take: (file: ArrivingFile) => Promise<Result>,
): Promise<Result> {
  let taken: Promise<Result> | undefined;
  const listen = (parser: busboy.Busboy) =>
    parser.on('file', (name: string, bytes: Readable, { filename, mimeType }) => {
      if (name !== field || taken !== undefined) {
        bytes.on('error', () => {}).resume();
        return;
      }
      const all = toTheEnd(bytes, () => reading);
      taken = take({ filename: filename ?? '', mime: mimeType, bytes: all });
      // The rest of the form is not read.
      taken.catch((error: unknown) => parser.destroy(error as Error));
    });
  const pieces = piecesOfBody(request, Infinity);
  const reading = readForm(request, pieces, { limits: LIMITS, broken: malformed, listen });
  try {
    await reading;
  } catch (error) {
    await taken;
    throw error;
  }
  if (taken === undefined) {
    throw new TaskFileMissing(`Send the file in the part "${field}" of a form.`);
  }
  return taken;
}

/** The bytes of a file, which ends with its form: only then is it known whether the form is complete. */
async function* toTheEnd(bytes: Readable, form: () => Promise<void>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch {
    throw malformed();
  }
  await form();
}

function malformed(): TaskFileMissing {
  return new TaskFileMissing('The body is not a complete form (multipart/form-data).');
}
