import { z } from 'zod';
import { TEXT_TASK_TYPES, type TextTaskType } from '../registration-fields.js';

/** Absent and null alike are an empty text. */
const looseText = z.preprocess((value) => value ?? '', z.string({ error: 'must be a text' }));

const taskId = z.coerce.number({ error: 'must be a number' }).int().nonnegative();

/** Either spelling; numbers as text too. */
export const Report = z
  .object({
    taskId: taskId.optional(),
    task_id: taskId.optional(),
    result: looseText,
    error: looseText,
  })
  .transform((input, context) => {
    const id = input.taskId ?? input.task_id;
    if (id === undefined) {
      context.issues.push({ code: 'custom', path: ['taskId'], input, message: 'is missing' });
      return z.NEVER;
    }
    return { taskId: id, result: input.result, error: input.error };
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

export const TaskPath = z.object({ id: taskId });
export type TaskPath = z.output<typeof TaskPath>;

/** How the field's clients call the types. */
export const CLASS_OF_TYPE: Readonly<Record<TextTaskType, string>> = {
  free_prompt: String.raw`OCP\TextProcessing\FreePromptTaskType`,
  headline: String.raw`OCP\TextProcessing\HeadlineTaskType`,
  summary: String.raw`OCP\TextProcessing\SummaryTaskType`,
  topics: String.raw`OCP\TextProcessing\TopicsTaskType`,
};

const TYPE_OF_CLASS = new Map<string, string>(
  Object.entries(CLASS_OF_TYPE).map(([type, className]) => [className, type]),
);
