import { Req, UseInterceptors } from '@nestjs/common';
import type { Request } from 'express';
import { Post } from '../../../common/contracts/routes.js';
import { CallingExApp } from '../../../common/auth/calling-app.decorator.js';
import { Input } from '../../../common/http/input.decorator.js';
import { OcsSuccess } from '../../../common/ocs/envelope.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { CallingApp } from '../../../common/ports/app-credentials.js';
import { GatewayAuthGuard } from '../../apps/access/gateway-auth.guard.js';
import { TaskFailures } from '../task-failures.interceptor.js';
import { takeFormFile } from './form-file.js';
import { TaskOfFile } from './task-file.input.js';
import { TaskFilesService } from './task-files.service.js';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { UploadedTaskFileAnswer } from '../queue/processing-task.wire.js';

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
    @Input(TaskOfFile) { taskId }: TaskOfFile,
    @Req() request: Request,
  ) {
    request.setTimeout(STALLED_AFTER_MS, () => request.destroy());
    try {
      const fileId = await takeFormFile(request, 'file', (file) =>
        this.files.receive(taskId, appId, file),
      );
      return new OcsSuccess(201, { fileId });
    } catch (error) {
      // Drain the rest, because clients read the response after sending.
      request.resume();
      throw error;
    }
  }
}
