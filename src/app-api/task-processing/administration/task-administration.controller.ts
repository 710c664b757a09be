import { Controller, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { AdminGuard } from '../../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { ApiPost, Get, Put } from '../../../common/contracts/routes.js';
import type { In } from '../../../common/http/input.decorator.js';
import { wholeNumber } from '../../../common/http/loose-inputs.js';
import { limit, offset } from '../../field-schemas.js';
import { GatewayInput } from '../../gateway-input.decorator.js';
import {
  type AdministeredProvider,
  type AdministeredType,
  TaskAdministration,
} from './task-administration.service.js';
import type { WatchedTask } from './watched-tasks.repository.js';

const OLDER_STATES: Readonly<Record<string, string>> = { scheduled: 'queued', successful: 'done' };

const seconds = z.int().describe('Unix seconds.');

const TaskTypeAnswer = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    is_internal: z.boolean(),
    enabled: z.boolean(),
    chosen: z.string().nullable(),
    preferred: z.string().nullable(),
    providers: z.array(
      z.object({
        id: z.string(),
        app_id: z.string(),
        name: z.string(),
        expected_seconds: z.number(),
        registered_at: seconds,
      }),
    ),
    scheduled: z.int(),
    running: z.int(),
    oldest_seconds: z.number().nullable(),
    successful_today: z.int(),
    failed_today: z.int(),
    mean_seconds: z.number().nullable(),
  })
  .meta({ id: 'AdministeredTaskType' });

const TaskTypesAnswer = z.object({ types: z.array(TaskTypeAnswer) });

const CancelledCountAnswer = z.object({ cancelled: z.int() });

const CancelledAnswer = z.object({ cancelled: z.boolean() });

const WatchedTasksAnswer = z.object({
  total: z.int(),
  tasks: z.array(
    z.object({
      id: z.int(),
      kind: z.string(),
      app_id: z.string().nullable(),
      provider: z.string().nullable(),
      user_id: z.string().nullable(),
      state: z.string(),
      progress: z.number().nullable(),
      error: z.string().nullable(),
      created_at: seconds,
      started_at: seconds.nullable(),
      finished_at: seconds.nullable(),
      type: z.string().optional(),
      consumer: z.string().optional(),
      attempts: z.int().optional(),
      lease_until: seconds.nullable().optional(),
    }),
  ),
});

/** An empty filter is absent. */
const filter = z.preprocess((value) => value || undefined, z.string().optional());

const ListOfTasks = z.object({
  limit: limit(50, 500),
  offset,
  state: z.preprocess(
    (value) => value || undefined,
    z.enum(['uploading', 'scheduled', 'running', 'successful', 'failed', 'cancelled']).optional(),
  ),
  type: filter,
  app: filter,
  user: filter,
});

const TaskPath = z.object({ id: wholeNumber });

const TypePath = z.object({ type: z.string() });

const ChangedType = TypePath.extend({
  enabled: z.boolean({ error: 'must be true or false' }).optional(),
  providerId: z.string({ error: 'must be the id of a provider, or null' }).nullable().optional(),
});

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
  async change(@GatewayInput(ChangedType) { type, enabled, providerId }: In<typeof ChangedType>) {
    return toTaskTypeJson(await this.administration.change(type, { enabled, providerId }));
  }

  @ApiPost(
    'task-types/:type/cancel-scheduled',
    'Cancels the waiting tasks of a type.',
    CancelledCountAnswer,
  )
  async cancelScheduled(@GatewayInput(TypePath) { type }: In<typeof TypePath>) {
    return { cancelled: await this.administration.cancelScheduled(type) };
  }

  @Get('tasks', 'Lists the tasks of all users.', WatchedTasksAnswer)
  async tasks(@GatewayInput(ListOfTasks) wish: In<typeof ListOfTasks>) {
    const { state, type, app: appId, user: userId, limit, offset } = wish;
    const filter = { state, type, appId, userId };
    const { total, tasks } = await this.administration.list(filter, limit, offset);
    return { total, tasks: tasks.map(toWatchedTaskJson) };
  }

  /** Only tasks of task processing; the older kinds end by themselves. */
  @ApiPost('tasks/:id/cancel', 'Cancels a task.', CancelledAnswer)
  async cancel(@GatewayInput(TaskPath) { id }: In<typeof TaskPath>) {
    return { cancelled: await this.administration.cancel(id) };
  }
}

function toTaskTypeJson(administered: AdministeredType) {
  const { type, enabled, chosenId, preferred, providers } = administered;
  return {
    id: type.id,
    name: type.name,
    description: type.description,
    is_internal: type.isInternal,
    enabled,
    chosen: chosenId,
    preferred: preferred?.id ?? null,
    providers: providers.map(toProviderJson),
    scheduled: administered.scheduled,
    running: administered.running,
    oldest_seconds: administered.oldestSeconds,
    successful_today: administered.successful,
    failed_today: administered.failed,
    mean_seconds: administered.meanSeconds,
  };
}

function toProviderJson({
  id,
  appId,
  name,
  expectedSeconds,
  registeredSeconds,
}: AdministeredProvider) {
  return {
    id,
    app_id: appId,
    name,
    expected_seconds: expectedSeconds,
    registered_at: registeredSeconds,
  };
}

/** Omits input and output, which may be private. Older kinds use their own state names. */
function toWatchedTaskJson(task: WatchedTask) {
  const common = {
    id: task.id,
    kind: task.kind,
    app_id: task.appId,
    provider: task.provider,
    user_id: task.userId,
    state: task.state,
    progress: task.progress,
    error: task.error,
    created_at: task.createdSeconds,
    started_at: task.startedSeconds,
    finished_at: task.finishedSeconds,
  };
  if (task.type === null) {
    return { ...common, user_id: task.userId ?? '', state: OLDER_STATES[task.state] ?? task.state };
  }
  return {
    ...common,
    type: task.type,
    consumer: task.consumer,
    attempts: task.attempts,
    lease_until: task.leaseUntilSeconds,
  };
}
