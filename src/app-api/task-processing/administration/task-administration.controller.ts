import { Controller, UseGuards } from '@nestjs/common';
import { ApiPost, Get, Put } from '../../../common/contracts/routes.js';
import { AdminGuard } from '../../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { GatewayInput } from '../../gateway-input.decorator.js';
import { ChangedType, ListOfTasks, TaskPath, TypePath } from './task-administration.input.js';
import { TaskAdministration } from './task-administration.service.js';
import {
  toTaskTypeJson,
  toWatchedTaskJson,
  TaskTypesAnswer,
  TaskTypeAnswer,
  CancelledCountAnswer,
  WatchedTasksAnswer,
  CancelledAnswer,
} from './task-administration.wire.js';

/** Plain JSON for the administrator's pages: task types, and the tasks of all users. */
@Controller('apps/app_api')
@UseGuards(BasicAuthGuard, AdminGuard)
export class TaskAdministrationController {
  constructor(private readonly administration: TaskAdministration) {}

  @Get('task-types', 'Lists the types of tasks.', TaskTypesAnswer)
  async types() {
    return { types: (await this.administration.types()).map(toTaskTypeJson) };
  }

  @Put('task-types/:type', 'Enables a type of tasks, or chooses its provider.', TaskTypeAnswer)
  async change(@GatewayInput(ChangedType) { type, enabled, providerId }: ChangedType) {
    return toTaskTypeJson(await this.administration.change(type, { enabled, providerId }));
  }

  @ApiPost(
    'task-types/:type/cancel-scheduled',
    'Cancels the waiting tasks of a type.',
    CancelledCountAnswer,
  )
  async cancelScheduled(@GatewayInput(TypePath) { type }: TypePath) {
    return { cancelled: await this.administration.cancelScheduled(type) };
  }

  @Get('tasks', 'Lists the tasks of all users.', WatchedTasksAnswer)
  async tasks(@GatewayInput(ListOfTasks) wish: ListOfTasks) {
    const { state, type, app: appId, user: userId, limit, offset } = wish;
    const filter = { state, type, appId, userId };
    const { total, tasks } = await this.administration.list(filter, limit, offset);
    return { total, tasks: tasks.map(toWatchedTaskJson) };
  }

  /** Of task processing; the older kinds end by themselves. */
  @ApiPost('tasks/:id/cancel', 'Cancels a task.', CancelledAnswer)
  async cancel(@GatewayInput(TaskPath) { id }: TaskPath) {
    return { cancelled: await this.administration.cancel(id) };
  }
}
