import { z } from 'zod';
import { orElse } from '../../../common/http/loose-inputs.js';
import { integer } from '../../field-schemas.js';

const MOST_NAMES = 1000;
/** Inputs have at most 2 MiB each, so that a batch stays below 50 MiB. */
const MOST_TASKS = 25;

const names = orElse(
  z.preprocess(
    (sent) => (typeof sent === 'string' ? [sent] : sent),
    z.array(z.string(), { error: 'must be a list of texts' }).max(MOST_NAMES),
  ),
  [],
);

export const NextTask = z.object({ providerIds: names, taskTypeIds: names });
export type NextTask = z.output<typeof NextTask>;

export const NextTasks = NextTask.extend({
  numberOfTasks: orElse(integer.pipe(z.int().min(1).max(MOST_TASKS)), 1),
});
export type NextTasks = z.output<typeof NextTasks>;

const taskId = integer.pipe(z.int().nonnegative());

const message = z.preprocess((sent) => sent ?? null, z.string().nullable());

const outputValues = z.record(z.string(), z.unknown(), { error: 'must be an object' });

const RANGE = 'must be a number from 0 to 1';

export const TaskProgress = z.object({
  taskId,
  progress: z.coerce.number({ error: RANGE }).min(0, RANGE).max(1, RANGE),
});
export type TaskProgress = z.output<typeof TaskProgress>;

export const TaskResult = z.object({
  taskId,
  // PHP and Lua encode an empty object as an empty list.
  output: z.preprocess(
    (sent) => (Array.isArray(sent) && sent.length === 0 ? {} : (sent ?? null)),
    outputValues.nullable(),
  ),
  errorMessage: message,
  userFacingErrorMessage: message,
});
export type TaskResult = z.output<typeof TaskResult>;

export const IntermediateOutput = z.object({ taskId, output: outputValues });
export type IntermediateOutput = z.output<typeof IntermediateOutput>;
