import { DomainError } from '../../common/errors/domain-error.js';

/** Nobody provides the task type, or an administrator switched it off. */
export class TaskTypeUnavailable extends DomainError {
  readonly kind = 'precondition-failed';

  constructor(typeId: string) {
    super(`No enabled external app provides tasks of the type "${typeId}".`);
  }
}

/** A value of the input does not fit its slot; the message names the slot. */
export class InvalidTaskInput extends DomainError {
  readonly kind = 'malformed';
}

export class TaskTypeNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(typeId: string) {
    super(`There is no task type "${typeId}".`);
  }
}

/** A provider that is not there, or does other tasks. */
export class ProviderNotOfType extends DomainError {
  readonly kind = 'malformed';

  constructor(providerId: string, typeId: string) {
    super(`No enabled app has a provider "${providerId}" for the task type "${typeId}".`);
  }
}

export class ProcessingTaskNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(id: number) {
    super(`There is no task ${id}.`);
  }
}
