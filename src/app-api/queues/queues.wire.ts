import { z } from 'zod';

const letterFields = {
  id: z.string(),
  error: z.string(),
  attempts: z.int(),
  sent_at: z.int().describe('Unix seconds.'),
  given_up_at: z.int().describe('Unix seconds.'),
};

/** With the fields of the event. */
export const UndeliveredEventsAnswer = z.array(
  z.looseObject({ ...letterFields, app_id: z.string(), user_id: z.string().nullable() }),
);

export const QueuesAnswer = z.object({
  queues: z.array(
    z.object({
      kind: z.string(),
      queued: z.int(),
      retrying: z.int(),
      active: z.int(),
      failed: z.int(),
      oldest_seconds: z.number().nullable(),
    }),
  ),
  tasks: z.record(z.string(), z.int()),
  task_processing: z.record(z.string(), z.int()),
});

export const DeadLettersAnswer = z.object({
  total: z.int(),
  dead_letters: z.array(
    z.object({ kind: z.string(), key: z.string().nullable(), ...letterFields }),
  ),
});

export const DoneAnswer = z.object({});
