import { z } from 'zod';
import { limit, offset } from '../../field-schemas.js';

/** An empty filter is absent. */
const filter = z.preprocess((value) => value || undefined, z.string().optional());

export const ListOfTasks = z.object({
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
export type ListOfTasks = z.output<typeof ListOfTasks>;

export const TaskPath = z.object({ id: z.coerce.number({ error: 'must be a number' }).int() });
export type TaskPath = z.output<typeof TaskPath>;

export const TypePath = z.object({ type: z.string() });
export type TypePath = z.output<typeof TypePath>;

export const ChangedType = TypePath.extend({
  enabled: z.boolean({ error: 'must be true or false' }).optional(),
  providerId: z.string({ error: 'must be the id of a provider, or null' }).nullable().optional(),
});
export type ChangedType = z.output<typeof ChangedType>;
