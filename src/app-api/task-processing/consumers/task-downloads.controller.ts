import { Controller, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { CallingExApp } from '../../../common/auth/calling-app.decorator.js';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { Get } from '../../../common/contracts/routes.js';
import { JsonErrorFilter } from '../../../common/errors/json-error.filter.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { wholeNumberThat } from '../../../common/http/loose-inputs.js';
import { sendStream } from '../../../common/http/send-stream.js';
import { OCS_ROOTS } from '../../../common/ocs/ocs-wire.js';
import type { CallingApp } from '../../../common/ports/app-credentials.js';
import type { FileContent } from '../../../common/ports/file-contents.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { GatewayAuthGuard } from '../../apps/access/ocs-gateway-controller.decorator.js';
import { TaskFilesService } from '../files/task-files.service.js';
import { OwnTasksService } from './own-tasks.service.js';

/** Closes the connection of a receiver that reads nothing for this long. */
const STALLED_AFTER_MS = 600_000;

/** Content of apps must neither run scripts nor load anything if a browser displays it after all. */
const SANDBOX = "sandbox; default-src 'none'; frame-ancestors 'none'";

const id = wholeNumberThat((int) => int.nonnegative());

const TaskFilePath = z.object({ taskId: id, fileId: id });

/** Files of tasks, as bytes: no envelope, and errors as `{"message": …}`, also under the OCS roots. */
@Controller(OCS_ROOTS.map((root) => `${root}/taskprocessing`))
@UseFilters(JsonErrorFilter)
export class TaskDownloadsController {
  constructor(
    private readonly tasks: OwnTasksService,
    private readonly files: TaskFilesService,
  ) {}

  /** Download for the app that works on the task. */
  @Get(
    'tasks_provider/:taskId/file/:fileId',
    'Sends a file of a task to the app that works on it.',
    new Media('*/*', 'The file.'),
    { also: [206], errorForm: 'json' },
  )
  @UseGuards(GatewayAuthGuard)
  async forProvider(
    @CallingExApp() { appId }: CallingApp,
    @Input(TaskFilePath) { taskId, fileId }: In<typeof TaskFilePath>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const file = await this.files.openForProvider(appId, taskId, fileId);
    await sendTaskFile(request, response, file);
  }

  @Get(
    'tasks/:taskId/file/:fileId',
    'Sends a file of a task to its user.',
    new Media('*/*', 'The file.'),
    { also: [206], errorForm: 'json' },
  )
  @UseGuards(BasicAuthGuard)
  async forUser(
    @CurrentUser() { userId }: Account,
    @Input(TaskFilePath) { taskId, fileId }: In<typeof TaskFilePath>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const task = await this.tasks.find({ userId, consumer: '' }, taskId);
    await sendTaskFile(request, response, await this.files.open(task, fileId));
  }

  /** Download for an app that scheduled the task for itself. */
  @Get(
    'tasks_consumer/tasks/:taskId/file/:fileId',
    'Sends a file of a task to the app that scheduled it.',
    new Media('*/*', 'The file.'),
    { also: [206], errorForm: 'json' },
  )
  @UseGuards(GatewayAuthGuard)
  async forApp(
    @CallingExApp() { appId }: CallingApp,
    @Input(TaskFilePath) { taskId, fileId }: In<typeof TaskFilePath>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const task = await this.tasks.find({ userId: null, consumer: appId }, taskId);
    await sendTaskFile(request, response, await this.files.open(task, fileId));
  }
}

/** Sends the content of a file as a download: all of it, or the requested range. */
async function sendTaskFile(
  request: Request,
  response: Response,
  { name, mime, sizeBytes, read }: FileContent,
): Promise<void> {
  response.attachment(name);
  response.set({
    'Content-Type': mime.startsWith('text/') ? `${mime}; charset=utf-8` : mime,
    'Content-Security-Policy': SANDBOX,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'private, no-cache, no-transform',
    'Accept-Ranges': 'bytes',
  });
  const ranges = request.range(sizeBytes);
  if (ranges === -1) {
    response.status(416).set('Content-Range', `bytes */${sizeBytes}`).end();
    return;
  }
  const part = Array.isArray(ranges) && ranges.length === 1 ? ranges[0] : undefined;
  if (part !== undefined) {
    response.status(206).set('Content-Range', `bytes ${part.start}-${part.end}/${sizeBytes}`);
  }
  const bytes = part === undefined ? sizeBytes : part.end - part.start + 1;
  response.set('Content-Length', String(bytes));
  if (request.method === 'HEAD' || bytes === 0) {
    response.end();
    return;
  }
  await sendStream(response, read(part), STALLED_AFTER_MS);
}
