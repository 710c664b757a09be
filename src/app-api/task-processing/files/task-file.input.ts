import { z } from 'zod';

const id = z.coerce.number({ error: 'must be a number' }).int().nonnegative();

export const TaskOfFile = z.object({ taskId: id });
export type TaskOfFile = z.output<typeof TaskOfFile>;

export const TaskFilePath = z.object({ taskId: id, fileId: id });
export type TaskFilePath = z.output<typeof TaskFilePath>;
