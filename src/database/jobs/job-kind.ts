/** A kind of durable background job. `Payload` is the data of a job. */
export interface JobKind<Payload extends object> {
  /** Lower case with dashes. Stored in the database, so it must not change. */
  readonly name: string;
  /** Time from sending until a failing job becomes a dead letter. */
  readonly deadlineSeconds: number;
  /** Delay before the second attempt; doubled with each further one, up to the longest. */
  readonly retryDelaySeconds: number;
  readonly longestRetryDelaySeconds: number;
  /** Timeout of one attempt. */
  readonly attemptSeconds: number;
  /** Concurrent jobs, or batches, per process. */
  readonly parallel: number;
  /** Jobs that are taken together, and run at the same time; default: 1. For short ones, of which many come at once. */
  readonly batch?: number;
  /**
   * Concurrent jobs of one group in all processes. Approximate: processes that poll at the same moment
   * may each start one more.
   */
  readonly parallelPerGroup?: number;
  /** Jobs of one key run one after another in the order of sending; a failing one blocks the rest. */
  readonly ordered?: boolean;
  /** Only for type inference. */
  readonly payload?: Payload;
}

export interface JobAttempt<Payload> {
  readonly id: string;
  readonly payload: Payload;
  /** Aborts at the timeout and when the process stops. */
  readonly signal: AbortSignal;
  /** Counted from 1. */
  readonly attempt: number;
}

export type JobRunner<Payload> = (job: JobAttempt<Payload>) => Promise<void>;

/** A job to send. */
export interface NewJob<Payload> {
  /** Jobs of one key are ordered, and can be dropped together. */
  readonly key: string;
  /** Group of `parallelPerGroup`. Default: the key. */
  readonly group?: string;
  readonly payload: Payload;
}

/** Selects waiting jobs, or by the `userId` of their payload all, since nothing about the user may stay. */
export type JobsInCommon =
  | { readonly keyPrefix: string; readonly group?: never; readonly userId?: never }
  | { readonly group: string; readonly keyPrefix?: never; readonly userId?: never }
  | { readonly userId: string; readonly keyPrefix?: never; readonly group?: never };

/** A job that failed after all retries. */
export interface DeadLetter<Payload> {
  readonly id: string;
  readonly key: string;
  readonly payload: Payload;
  readonly error: string;
  readonly attempts: number;
  readonly sentAt: Date;
  readonly givenUpAt: Date;
}

/** Thrown by a job whose retry would fail in the same way: it becomes a dead letter at once. */
export class PermanentJobFailure extends Error {}

/** The data of a job in pg-boss. */
export interface Envelope<Payload> {
  readonly payload: Payload;
}

/** The data of a dead letter in pg-boss. */
export interface DeadEnvelope<Payload> extends Envelope<Payload> {
  readonly error: string;
  readonly attempts: number;
  readonly sentAt: string;
}

/** Suffix of the queues that hold dead letters. */
export const DEAD_LETTERS = '.dead-letters';

export function deadLettersOf({ name }: JobKind<object>): string {
  return `${name}${DEAD_LETTERS}`;
}
