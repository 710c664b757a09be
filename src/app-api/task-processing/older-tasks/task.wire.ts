import { z } from 'zod';
import type { TaskState } from './ex-app-task.entity.js';
import type { Task } from './tasks.repository.js';

/** The status codes of Nextcloud; 0 would be "unknown". */
const STATUS_OF_STATE: Readonly<Record<TaskState, number>> = {
  uploading: 1,
  queued: 1,
  running: 2,
  done: 3,
  failed: 4,
};

/** The fields of all kinds of tasks, under the names of Nextcloud. */
export function toTaskJson(task: Task) {
  return {
    id: task.id,
    status: STATUS_OF_STATE[task.state],
    userId: task.userId,
    appId: task.note['appId'] ?? '',
    identifier: task.note['identifier'] ?? '',
    output: task.state === 'done' ? task.result : null,
    errorMessage: task.error === '' ? null : task.error,
    progress: task.progress,
    completionExpectedAt: null,
    scheduledAt: task.createdSeconds,
    startedAt: task.startedSeconds,
    endedAt: task.finishedSeconds,
  };
}

const seconds = z.int().describe('Unix seconds.');

const taskFields = {
  id: z.int(),
  status: z.int().describe('1 waits, 2 runs, 3 is done, 4 has failed.'),
  userId: z.string().nullable(),
  appId: z.string(),
  identifier: z.string(),
  output: z.unknown(),
  errorMessage: z.string().nullable(),
  progress: z.number().nullable(),
  completionExpectedAt: z.null(),
  scheduledAt: seconds,
  startedAt: seconds.nullable(),
  endedAt: seconds.nullable(),
};

const SpeechTaskSchema = z.object({ ...taskFields, input: z.unknown() }).meta({ id: 'SpeechTask' });

export const SpeechTaskAnswer = z.object({ task: SpeechTaskSchema });

export const SpeechTasksAnswer = z.object({ tasks: z.array(SpeechTaskSchema) });

const TextTaskSchema = z
  .object({ ...taskFields, type: z.string(), input: z.unknown() })
  .meta({ id: 'TextTask' });

export const TextTaskAnswer = z.object({ task: TextTaskSchema });

export const TextTasksAnswer = z.object({ tasks: z.array(TextTaskSchema) });

export const AvailableAnswer = z.object({ available: z.boolean() });

export const TextTaskTypesAnswer = z.object({
  types: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })),
});

export const LanguagesAnswer = z.object({
  languages: z.array(
    z.object({ from: z.string(), fromLabel: z.string(), to: z.string(), toLabel: z.string() }),
  ),
  languageDetection: z.boolean(),
});

export const TranslatedAnswer = z.object({ text: z.string(), from: z.string().nullable() });
