import { selectList, type RowOf } from '../../../database/select-list.js';
import {
  ProcessingTaskEntity,
  type ProcessingState,
  type SlotValues,
} from './processing-task.entity.js';

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
]);

/** Columns of `ProcessingTask` in a statement that names the table `t`. */
export const ROW = `${STORED}, t.file_ids::float8[] as "fileIds",
  floor(extract(epoch from t.changed_at))::bigint as "changedSeconds",
  floor(extract(epoch from t.scheduled_at))::bigint as "scheduledSeconds",
  floor(extract(epoch from t.started_at))::bigint as "startedSeconds",
  floor(extract(epoch from t.ended_at))::bigint as "endedSeconds"`;

/** A task of task processing. */
export type ProcessingTask = Omit<RowOf<typeof STORED>, 'state'> & {
  readonly state: ProcessingState;
  /** Ids in the slots of files of input and output. */
  readonly fileIds: readonly number[];
  /** Unix seconds, as the next three. */
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
> & { readonly state: 'uploading' | 'scheduled' };

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
