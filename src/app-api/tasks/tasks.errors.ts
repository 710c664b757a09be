import { DomainError } from '../../common/errors/domain-error.js';

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

export class TaskNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(taskId: number) {
    super(`There is no task ${taskId}.`);
  }
}

export class TooManyTasks extends DomainError {
  readonly kind = 'too-many';

  constructor(most: number) {
    super(`You have ${most} tasks that are not finished; wait until some are.`);
  }
}

export class RecordingTooLarge extends DomainError {
  readonly kind = 'malformed';

  constructor(mebibytes: number) {
    super(`The recording is larger than ${mebibytes} MiB.`);
  }
}
