import { entityOf, p } from '../../../database/entity-of.js';

export type TaskKind = 'translation' | 'text_processing' | 'speech_to_text';

/** `uploading` until the recording is complete, `queued` until the app accepted it. */
export type TaskState = 'uploading' | 'queued' | 'running' | 'done' | 'failed';

/** Work that an app does as a provider. */
export class ExAppTaskEntity extends entityOf('ex_app_task', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  appId: p.text(),
  kind: p.text().$type<TaskKind>(),
  providerName: p.text(),
  userId: p.text().strictNullable(),
  /** Input for the provider, under the names of the protocol. */
  input: p.json().$type<Readonly<Record<string, string | null>>>(),
  /** Returned to the caller with the task; not sent to the provider. */
  note: p.json().$type<Readonly<Record<string, string>>>().defaultRaw("'{}'::jsonb"),
  state: p.text().$type<TaskState>().defaultRaw("'running'::text"),
  result: p.text().strictNullable(),
  error: p.text().strictNullable(),
  createdAt: p.datetime().defaultRaw('now()'),
  deadlineAt: p.datetime(),
  finishedAt: p.datetime().strictNullable(),
  startedAt: p.datetime().strictNullable(),
  /** Per cent; null if the provider does not report any. */
  progress: p.smallint().strictNullable(),
  /** The task of task processing that does the work; null if the app is called. */
  processingTaskId: p.bigint('number').strictNullable(),
}) {}

/** A part of the recording of an unfinished task; `place` counts from 0 without gaps. */
export class ExAppTaskPieceEntity extends entityOf('ex_app_task_piece', {
  taskId: p.bigint('number').primary(),
  place: p.integer().primary(),
  bytes: p.blob(),
}) {}
