import { DomainError, errorOf } from '../../common/errors/domain-error.js';

export class NoProvider extends DomainError {
  readonly kind = 'unavailable';
}

export class LanguageNotDetected extends DomainError {
  readonly kind = 'malformed';
}

/** The provider reported an error, or nothing before the deadline. */
export class TaskFailed extends DomainError {
  readonly kind = 'unavailable';
}

export class TaskNotFound extends errorOf(
  'not-found',
  (taskId: number) => `There is no task ${taskId}.`,
) {}

export class TooManyTasks extends errorOf(
  'too-many',
  (most: number) => `You have ${most} tasks that are not finished; wait until some are.`,
) {}

export class RecordingTooLarge extends errorOf(
  'malformed',
  (mebibytes: number) => `The recording is larger than ${mebibytes} MiB.`,
) {}
