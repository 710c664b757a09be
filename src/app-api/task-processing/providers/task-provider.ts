import { z } from 'zod';
import { looseMap } from '../../../common/http/loose-inputs.js';
import { byName, type Capability } from '../../capabilities/capability.js';
import { line, name, text } from '../../field-schemas.js';
import { slotTypeOf } from '../types/task-type.js';

const LONGEST_NAME = 255;
const LONGEST_DESCRIPTION = 4000;
const MOST_SLOTS = 100;
const MOST_VALUES = 2000;

const slot = z.object({
  name: name(LONGEST_NAME),
  description: text(LONGEST_DESCRIPTION),
  shape_type: z.int().refine((number) => slotTypeOf(number) !== undefined, {
    error: 'must be the number of a type',
  }),
});

/** An empty list may be sent as an empty object. */
const slots = z.preprocess(
  (sent) => (isEmptyObject(sent) ? [] : sent),
  z.array(slot, { error: 'must be a list of slots' }).max(MOST_SLOTS),
);

const enumValues = looseMap(
  z.array(z.object({ name: text(LONGEST_NAME), value: text(LONGEST_NAME) })).max(MOST_VALUES),
  'must be an object of lists of names and values',
);

const defaults = looseMap(
  z.union([z.string(), z.number()], { error: 'must be a text or a number' }),
  'must be an object of texts and numbers',
);

/** Unknown keys are dropped, since apps send misspelt ones. */
const provider = z.object({
  id: name(LONGEST_NAME),
  name: line(LONGEST_NAME),
  task_type: name(LONGEST_NAME),
  expected_runtime: z
    .int({ error: 'must be a whole number' })
    .min(0)
    .max(30 * 24 * 3600),
  optional_input_shape: slots,
  optional_output_shape: slots,
  input_shape_enum_values: enumValues,
  optional_input_shape_enum_values: enumValues,
  output_shape_enum_values: enumValues,
  optional_output_shape_enum_values: enumValues,
  input_shape_defaults: defaults,
  optional_input_shape_defaults: defaults,
});

const customTaskType = z.object({
  id: name(LONGEST_NAME),
  name: line(LONGEST_NAME),
  description: text(LONGEST_DESCRIPTION),
  input_shape: slots,
  output_shape: slots,
});

const input = z
  .object({
    provider,
    customTaskType: z.preprocess((value) => value ?? null, customTaskType.nullable()),
  })
  .refine(
    (fields) =>
      (fields.customTaskType?.id ?? fields.provider.task_type) === fields.provider.task_type,
    {
      path: ['customTaskType', 'id'],
      error: 'must be the task_type of the provider',
    },
  );

/** A provider as its app sent it, and the task type that it brings, if any. */
export type TaskProviderFields = z.output<typeof input>;

/** A provider of task processing, which fetches its tasks. */
export const TASK_PROVIDER: Capability<TaskProviderFields> = {
  kind: 'task_processing',
  routes: ['v1/ai_provider/task_processing'],
  input,
  keyInput: byName(LONGEST_NAME),
  keyOf: (fields) => fields.provider.id,
  toJson: ({ id, appId, fields }) => ({
    id,
    app_id: appId,
    name: fields.provider.id,
    display_name: fields.provider.name,
    task_type: fields.provider.task_type,
    provider: JSON.stringify(fields.provider),
    custom_task_type: fields.customTaskType === null ? null : JSON.stringify(fields.customTaskType),
  }),
  missing: 'No such task processing provider',
};

function isEmptyObject(sent: unknown): boolean {
  return typeof sent === 'object' && sent !== null && Object.keys(sent).length === 0;
}
