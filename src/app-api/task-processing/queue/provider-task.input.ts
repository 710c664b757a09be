import type { ExecutionContext } from '@nestjs/common';
import { z } from 'zod';
import { gatherInput, parseInput, requestWithBody } from '../../../common/http/input.decorator.js';
import { orElse } from '../../../common/http/loose-inputs.js';
import { integer } from '../../field-schemas.js';

const MOST_NAMES = 1000;
/** Inputs have at most 2 MiB each, so that a batch stays below 50 MiB. */
const MOST_TASKS = 20;

const names = orElse(
  z.preprocess(
    (sent) => (typeof sent === 'string' ? [sent] : sent),
    z.array(z.string(), { error: 'must be a list of texts' }).max(MOST_NAMES),
  ),
  [],
);

const Names = z.object({ providerIds: names, taskTypeIds: names });

/** What a poll asks for, as it is sent. */
export const Wish = Names.extend({
  numberOfTasks: orElse(
    integer.pipe(
      z
        .int()
        .min(1)
        .transform((number) => Math.min(number, MOST_TASKS)),
    ),
    1,
  ),
});

/** What a poll asks for: names in the query and in the body of the GET together. */
export interface SentWish {
  readonly providerIds: readonly string[];
  readonly typeIds: readonly string[];
  /** Number of tasks. */
  readonly most: number;
}

/** @throws InvalidInput; also errors of `InputBodies` */
export async function readWish(context: ExecutionContext): Promise<SentWish> {
  const { query, body } = await requestWithBody(context);
  const inQuery = gatherInput({ query, params: {} });
  const inBody = gatherInput({ query: {}, params: {}, body });
  const { providerIds, taskTypeIds, numberOfTasks } = parseInput(Wish, { ...inQuery, ...inBody });
  const inQueryToo = parseInput(Names, inQuery);
  return {
    providerIds: [...new Set([...providerIds, ...inQueryToo.providerIds])],
    typeIds: [...new Set([...taskTypeIds, ...inQueryToo.taskTypeIds])],
    most: numberOfTasks,
  };
}

const taskId = integer.pipe(z.int().nonnegative());

/** A text; of an app that sends something else, its JSON. */
const message = z.preprocess(
  (sent) => (typeof sent === 'string' ? sent : sent ? JSON.stringify(sent) : null),
  z.string().nullable(),
);

const outputValues = z.record(z.string(), z.unknown(), { error: 'must be an object' });

const RANGE = 'must be a number from 0 to 1';

export const TaskProgress = z.object({
  taskId,
  progress: z.coerce.number({ error: RANGE }).min(0, RANGE).max(1, RANGE),
});
export type TaskProgress = z.output<typeof TaskProgress>;

export const TaskResult = z.object({
  taskId,
  // One that does not fit is no error of the request: the task fails.
  output: z.preprocess((sent) => sent ?? null, z.unknown()),
  errorMessage: message,
  userFacingErrorMessage: message,
});
export type TaskResult = z.output<typeof TaskResult>;

export const IntermediateOutput = z.object({ taskId, output: outputValues });
export type IntermediateOutput = z.output<typeof IntermediateOutput>;
