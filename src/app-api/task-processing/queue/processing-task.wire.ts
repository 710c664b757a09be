import { z } from 'zod';
import type { ProcessingState, ProcessingTask } from './processing-task.entity.js';

const STATUS_OF_STATE: Readonly<Record<ProcessingState, string>> = {
  uploading: 'STATUS_UNKNOWN',
  scheduled: 'STATUS_SCHEDULED',
  running: 'STATUS_RUNNING',
  successful: 'STATUS_SUCCESSFUL',
  failed: 'STATUS_FAILED',
  cancelled: 'STATUS_CANCELLED',
};

/** A task as providers and consumers see it. Times are in Unix seconds. */
export function toTaskJson(task: ProcessingTask) {
  return {
    id: task.id,
    type: task.type,
    lastUpdated: task.changedSeconds,
    status: STATUS_OF_STATE[task.state],
    userId: task.userId,
    appId: task.consumer,
    input: task.input,
    output: task.output,
    customId: task.older === null ? task.customId : `older-task:${task.olderId}`,
    completionExpectedAt: expectedEnd(task),
    progress: task.progress,
    scheduledAt: task.scheduledSeconds,
    startedAt: task.startedSeconds,
    endedAt: task.endedSeconds,
    allowCleanup: true,
    includeWatermark: task.includeWatermark,
    userFacingErrorMessage: task.userError,
    preferStreaming: task.preferStreaming,
  };
}

/** Null for an ended task, and if the provider does not say how long it takes. */
function expectedEnd(task: ProcessingTask): number | null {
  const { expectedSeconds, startedSeconds, scheduledSeconds, endedSeconds } = task;
  return endedSeconds !== null || expectedSeconds === 0
    ? null
    : (startedSeconds ?? scheduledSeconds) + expectedSeconds;
}

const seconds = z.int().describe('Unix seconds.');

const ProcessingTaskSchema = z
  .object({
    id: z.int(),
    type: z.string(),
    lastUpdated: seconds,
    status: z.enum(Object.values(STATUS_OF_STATE)),
    userId: z.string().nullable(),
    appId: z.string(),
    input: z.unknown(),
    output: z.unknown(),
    customId: z.string().nullable(),
    completionExpectedAt: z.number().nullable(),
    progress: z.number().nullable(),
    scheduledAt: seconds,
    startedAt: seconds.nullable(),
    endedAt: seconds.nullable(),
    allowCleanup: z.boolean(),
    includeWatermark: z.boolean(),
    userFacingErrorMessage: z.string().nullable(),
    preferStreaming: z.boolean(),
  })
  .meta({ id: 'ProcessingTask' });

export const ProcessingTaskAnswer = z.object({ task: ProcessingTaskSchema });

export const ProcessingTasksAnswer = z.object({ tasks: z.array(ProcessingTaskSchema) });

export const NextTaskAnswer = z.object({
  task: ProcessingTaskSchema,
  provider: z.object({ name: z.string(), id: z.string() }),
});

export const NextTasksAnswer = z.object({
  tasks: z.array(z.object({ task: ProcessingTaskSchema, provider: z.string() })),
  has_more: z.boolean(),
});

export const UploadedTaskFileAnswer = z.object({ fileId: z.int() });
