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

/** A file of the input does not exist, is a folder, or may not be read by the user. */
export class TaskInputUnreadable extends DomainError {
  readonly kind = 'unauthenticated';

  constructor(fileId: number) {
    super(`The file ${fileId} of the input cannot be read.`);
  }
}

export class TaskFileNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(id: number) {
    super(`The task has no file ${id}.`);
  }
}

export class TaskFileTooLarge extends DomainError {
  readonly kind = 'malformed';

  constructor(mebibytes: number) {
    super(`The file is larger than ${mebibytes} MiB.`);
  }
}

export class TooManyTaskFiles extends DomainError {
  readonly kind = 'too-many';

  constructor(most: number) {
    super(`A task has at most ${most} files.`);
  }
}

/** A request that should carry a file does not. */
export class TaskFileMissing extends DomainError {
  readonly kind = 'malformed';
}

/** The limit per two minutes. */
export class TasksTooFast extends DomainError {
  readonly kind = 'too-many';

  constructor(
    most: number,
    override readonly retryAfterSeconds: number,
  ) {
    super(`At most ${most} tasks can be scheduled in two minutes; wait ${retryAfterSeconds} s.`);
  }
}

/** A webhook of another form, or to an address that is never called. */
export class InvalidTaskWebhook extends DomainError {
  readonly kind = 'malformed';
}
