import { Put } from '@nestjs/common';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { Input } from '../../common/http/input.decorator.js';
import { OcsGatewayController } from '../../common/ocs/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { TasksService } from '../tasks.service.js';
import { Report } from './task-inputs.js';

/** Where providers report what became of their tasks. */
@OcsGatewayController('apps/app_api/api/v1')
export class TaskReportsController {
  constructor(private readonly tasks: TasksService) {}

  @Put('ai_provider/translation')
  async translated(@CallingExApp() app: CallingApp, @Input(Report) report: Report) {
    await this.tasks.report(app.appId, 'translation', report.taskId, report);
  }

  @Put('ai_provider/text_processing')
  async textProcessed(@CallingExApp() app: CallingApp, @Input(Report) report: Report) {
    await this.tasks.report(app.appId, 'text_processing', report.taskId, report);
  }

  @Put(['ai_provider/speech_to_text', 'provider/speech_to_text'])
  async transcribed(@CallingExApp() app: CallingApp, @Input(Report) report: Report) {
    await this.tasks.report(app.appId, 'speech_to_text', report.taskId, report);
  }
}
