import { Controller, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Get } from '../../../common/contracts/routes.js';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { CallingExApp } from '../../../common/auth/calling-app.decorator.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { JsonErrorFilter } from '../../../common/errors/json-error.filter.js';
import { Input } from '../../../common/http/input.decorator.js';
import { OCS_ROOTS } from '../../../common/ocs/ocs-wire.js';
import type { CallingApp } from '../../../common/ports/app-credentials.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { GatewayAuthGuard } from '../../apps/access/gateway-auth.guard.js';
import { OwnTasksService } from './own-tasks.service.js';
import { sendTaskFile } from '../files/send-task-file.js';
import { TaskFilePath } from '../files/task-file.input.js';
import { TaskFilesService } from '../files/task-files.service.js';
import { Media } from '../../../common/contracts/operation.decorator.js';

/** Files of tasks, as bytes: no envelope, and errors as `{"message": …}`, also under the OCS roots. */
@Controller(OCS_ROOTS.map((root) => `${root}/taskprocessing`))
@UseFilters(JsonErrorFilter)
export class TaskDownloadsController {
  constructor(
    private readonly tasks: OwnTasksService,
    private readonly files: TaskFilesService,
  ) {}

  /** For the app that works on the task. */
  @Get(
    'tasks_provider/:taskId/file/:fileId',
    'Sends a file of a task to the app that works on it.',
    new Media('*/*', 'The file.'),
    {
      also: [206],
      errorForm: 'json',
    },
  )
  @UseGuards(GatewayAuthGuard)
  async forProvider(
    @CallingExApp() { appId }: CallingApp,
    @Input(TaskFilePath) { taskId, fileId }: TaskFilePath,
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
    {
      also: [206],
      errorForm: 'json',
    },
  )
  @UseGuards(BasicAuthGuard)
  async forUser(
    @CurrentUser() { userId }: Account,
    @Input(TaskFilePath) { taskId, fileId }: TaskFilePath,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const task = await this.tasks.find({ userId, consumer: '' }, taskId);
    await sendTaskFile(request, response, await this.files.open(task, fileId));
  }

  /** For an app that scheduled the task for itself. */
  @Get(
    'tasks_consumer/tasks/:taskId/file/:fileId',
    'Sends a file of a task to the app that scheduled it.',
    new Media('*/*', 'The file.'),
    { also: [206], errorForm: 'json' },
  )
  @UseGuards(GatewayAuthGuard)
  async forApp(
    @CallingExApp() { appId }: CallingApp,
    @Input(TaskFilePath) { taskId, fileId }: TaskFilePath,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const task = await this.tasks.find({ userId: null, consumer: appId }, taskId);
    await sendTaskFile(request, response, await this.files.open(task, fileId));
  }
}
