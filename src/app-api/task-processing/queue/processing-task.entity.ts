import { entityOf, p } from '../../../database/entity-of.js';
import { type RowOf, selectList } from '../../../database/select-list.js';

/**
 * `uploading` until the files of the input are complete, `scheduled` until an app claims it, `running`
 * until that app reports or its lease ends; the others are final.
 */
export type ProcessingState = 'uploading' | 'scheduled' | 'running' | FinalState;

type FinalState = 'successful' | 'failed' | 'cancelled';

/** Input or output of a task: a value per slot of its type's shape. */
export type SlotValues = Readonly<Record<string, unknown>>;

export interface OlderTask {
  /** Of the recording. */
  readonly filename?: string;
}

/** Whom to call when the task ends, in the words of the consumer. */
export interface TaskWebhook {
  /** `HTTP:POST`, or `AppAPI:APPID:POST` for a path of an external app. */
  readonly method: string;
  readonly uri: string;
}

/** Work for an app, which fetches it (task processing) or is called (older providers). */
export class ProcessingTaskEntity extends entityOf('processing_task', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  type: p.text(),
  state: p.text().$type<ProcessingState>().defaultRaw("'scheduled'::text"),
  /** Null for a task that an app scheduled for itself. */
  userId: p.text().strictNullable(),
  /** The `appId` that the consumer named. */
  consumer: p.text(),
  customId: p.text().strictNullable(),
  input: p.json().columnType('json').$type<SlotValues>(),
  output: p.json().columnType('json').$type<SlotValues>().strictNullable(),
  /** Ids in the slots of files of input and output. */
  fileIds: p.array().columnType('bigint[]').$type<readonly number[]>().defaultRaw("'{}'::bigint[]"),
  /** From 0 to 1; null if the app does not report any. */
  progress: p.float().columnType('double precision').strictNullable(),
  /** Message for administrators. */
  error: p.text().strictNullable(),
  /** Message for the user. */
  userError: p.text().strictNullable(),
  includeWatermark: p.boolean().defaultRaw('true'),
  preferStreaming: p.boolean().defaultRaw('false'),
  webhook: p.json().columnType('json').$type<TaskWebhook>().strictNullable(),
  /** The provider's `expected_runtime`. */
  expectedSeconds: p.integer().defaultRaw('0'),
  /** The app and provider that claimed the task last. */
  appId: p.text().strictNullable(),
  providerId: p.text().strictNullable(),
  /** Claims so far. */
  attempts: p.integer().defaultRaw('0'),
  /** Validity of a claim or a report of progress; null before the first claim. */
  leaseSeconds: p.integer().strictNullable(),
  leaseUntil: p.datetime().strictNullable(),
  /** Claimed in this order: when it was scheduled, later for users with unfinished tasks of the type. */
  placeAt: p.datetime().defaultRaw('now()'),
  /** Time of failure unless the task has ended; no lease lasts longer. */
  deadlineAt: p.datetime(),
  changedAt: p.datetime().defaultRaw('now()'),
  scheduledAt: p.datetime().defaultRaw('now()'),
  startedAt: p.datetime().strictNullable(),
  endedAt: p.datetime().strictNullable(),
  /** What only the older routes show; null for a task that they do not know. */
  older: p.json().$type<OlderTask>().strictNullable(),
  /** The id at the older routes of a task that was scheduled when those had ids of their own. */
  olderId: p.bigint('number').strictNullable(),
  /** The app that is called with the task, as its provider; null if apps fetch it. */
  calledAppId: p.text().strictNullable(),
}) {}

const STORED = selectList(ProcessingTaskEntity, 't', [
  'id',
  'type',
  'state',
  'userId',
  'consumer',
  'customId',
  'input',
  'output',
  'progress',
  'error',
  'userError',
  'includeWatermark',
  'preferStreaming',
  'webhook',
  'expectedSeconds',
  'appId',
  'providerId',
  'attempts',
  'older',
  'calledAppId',
]);

/** The id at the older routes. */
export const OLDER_ID = 'coalesce(t.older_id, t.id)';

/** Selects tasks that apps fetch. */
export const FETCHED = 't.called_app_id is null';

/** Columns of `ProcessingTask` in a statement that names the table `t`. */
export const ROW = `${STORED}, t.file_ids::float8[] as "fileIds", ${OLDER_ID}::float8 as "olderId",
  floor(extract(epoch from t.deadline_at - now()))::int as "secondsLeft",
  floor(extract(epoch from t.changed_at))::bigint as "changedSeconds",
  floor(extract(epoch from t.scheduled_at))::bigint as "scheduledSeconds",
  floor(extract(epoch from t.started_at))::bigint as "startedSeconds",
  floor(extract(epoch from t.ended_at))::bigint as "endedSeconds"`;

export type ProcessingTask = Omit<RowOf<typeof STORED>, 'state'> & {
  readonly state: ProcessingState;
  /** Ids in the slots of files of input and output. */
  readonly fileIds: readonly number[];
  /** The id at the older routes. */
  readonly olderId: number;
  /** Seconds until the deadline, rounded down. */
  readonly secondsLeft: number;
  /** Unix seconds, like the next three fields. */
  readonly changedSeconds: number;
  readonly scheduledSeconds: number;
  readonly startedSeconds: number | null;
  readonly endedSeconds: number | null;
};

export type NewProcessingTask = Pick<
  ProcessingTask,
  | 'type'
  | 'userId'
  | 'consumer'
  | 'customId'
  | 'input'
  | 'fileIds'
  | 'includeWatermark'
  | 'preferStreaming'
  | 'webhook'
  | 'expectedSeconds'
  | 'older'
  | 'calledAppId'
  | 'providerId'
> & {
  readonly state: 'uploading' | 'scheduled';
  /** The task fails after this time unless it has ended. */
  readonly maxSeconds: number;
};

export type ClaimedTask = ProcessingTask & { readonly providerId: string };

/** A type whose tasks a provider of the calling app may claim. */
export interface ClaimOffer {
  readonly type: string;
  readonly providerId: string;
  readonly leaseSeconds: number;
}

/** The end of a task as its app reports it. */
export type TaskEnd =
  | {
      readonly state: 'successful';
      readonly output: SlotValues;
      readonly fileIds: readonly number[];
    }
  | { readonly state: 'failed'; readonly error: string; readonly userError: string | null };
