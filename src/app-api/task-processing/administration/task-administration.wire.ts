import { z } from 'zod';
import type { AdministeredProvider, AdministeredType } from './task-administration.service.js';
import type { WatchedTask } from './watched-tasks.repository.js';

export function toTaskTypeJson(administered: AdministeredType) {
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

/** Without input and output, which may be private. Older kinds have the words of their own states. */
export function toWatchedTaskJson(task: WatchedTask) {
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

const OLDER_STATES: Readonly<Record<string, string>> = { scheduled: 'queued', successful: 'done' };

const seconds = z.int().describe('Unix seconds.');

const TaskTypeSchema = z
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

export const TaskTypeAnswer = TaskTypeSchema;

export const TaskTypesAnswer = z.object({ types: z.array(TaskTypeSchema) });

export const CancelledCountAnswer = z.object({ cancelled: z.int() });

export const CancelledAnswer = z.object({ cancelled: z.boolean() });

export const WatchedTasksAnswer = z.object({
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
