import { z } from 'zod';
import { TEXT_TASK_TYPES } from '../../text-tasks.js';
import type { TextTaskType } from './providers.js';

const text = z.string({ error: 'must be a text' });

/** Empty if absent or null. */
const looseText = z.preprocess((value) => value ?? '', text);

const taskId = z.coerce.number({ error: 'must be a number' }).int().nonnegative();

const percentage = z.coerce
  .number({ error: 'must be a number from 0 to 100' })
  .min(0, 'must be a number from 0 to 100')
  .max(100, 'must be a number from 0 to 100')
  .transform(Math.floor);

/** Accepts both spellings of the id. With `progress` and no result the task is not finished. */
export const Report = z
  .object({
    taskId: taskId.optional(),
    task_id: taskId.optional(),
    progress: z.preprocess((value) => value ?? undefined, percentage.optional()),
    result: z.preprocess((value) => value ?? undefined, text.optional()),
    error: looseText,
  })
  .transform((input, context) => {
    const id = input.taskId ?? input.task_id;
    if (id === undefined) {
      context.issues.push({ code: 'custom', path: ['taskId'], input, message: 'is missing' });
      return z.NEVER;
    }
    const { progress, result, error } = input;
    const isOver = progress === undefined || result !== undefined || error !== '';
    return { taskId: id, progress: isOver ? null : progress, result: result ?? '', error };
  });
export type Report = z.output<typeof Report>;

export const Translate = z.object({
  text: z.string({ error: 'must be a text' }),
  fromLanguage: z.preprocess((value) => value || null, z.string().nullable()),
  toLanguage: z.string({ error: 'must be a language code' }).min(1),
});
export type Translate = z.output<typeof Translate>;

export const ScheduleText = z.object({
  input: z.string({ error: 'must be a text' }),
  type: z.preprocess(
    (value) => (typeof value === 'string' ? (TYPE_OF_CLASS.get(value) ?? value) : value),
    z.enum(TEXT_TASK_TYPES, { error: `must be one of ${TEXT_TASK_TYPES.join(', ')}` }),
  ),
  appId: looseText,
  identifier: looseText,
});
export type ScheduleText = z.output<typeof ScheduleText>;

/** Sent in the query, because the body is the recording. */
export const ScheduleSpeech = z.object({
  filename: z.preprocess((value) => value || 'recording', text.max(255)),
  appId: looseText,
  identifier: looseText,
});
export type ScheduleSpeech = z.output<typeof ScheduleSpeech>;

/** Filters of the list of the caller's tasks. */
export const OwnTasks = z.object({
  appId: text.optional(),
  identifier: z.preprocess((value) => value || undefined, text.optional()),
});
export type OwnTasks = z.output<typeof OwnTasks>;

export const TaskPath = z.object({ id: taskId });
export type TaskPath = z.output<typeof TaskPath>;

/** The names that Nextcloud clients use. */
export const CLASS_OF_TYPE: Readonly<Record<TextTaskType, string>> = {
  free_prompt: String.raw`OCP\TextProcessing\FreePromptTaskType`,
  headline: String.raw`OCP\TextProcessing\HeadlineTaskType`,
  summary: String.raw`OCP\TextProcessing\SummaryTaskType`,
  topics: String.raw`OCP\TextProcessing\TopicsTaskType`,
};

const TYPE_OF_CLASS = new Map<string, string>(
  Object.entries(CLASS_OF_TYPE).map(([type, className]) => [className, type]),
);
