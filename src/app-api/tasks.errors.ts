import { DomainError } from '../common/errors/domain-error.js';

export class NoProvider extends DomainError {
  readonly kind = 'unavailable';
}

export class LanguageNotDetected extends DomainError {
  readonly kind = 'malformed';
}

/** The provider said so, or said nothing in time. */
export class TaskFailed extends DomainError {
  readonly kind = 'unavailable';
}

export class TaskNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(taskId: number) {
    super(`There is no task ${taskId}.`);
  }
}
