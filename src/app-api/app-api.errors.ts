import { DomainError } from '../common/errors/domain-error.js';

export class ExAppNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(appId: string) {
    super(`ExApp \`${appId}\` not found`);
  }
}

export class ExAppDisabled extends DomainError {
  readonly kind = 'unavailable';

  constructor(appId: string) {
    super(`The external app "${appId}" is disabled.`);
  }
}

/** A registration that cannot be shown or run as it is; the message says which field and why. */
export class InvalidRegistration extends DomainError {
  readonly kind = 'malformed';
}

/** The app could not be reached, or did not answer in time; the message says what was tried. */
export class ExAppUnreachable extends DomainError {
  readonly kind = 'unavailable';
}

/** The calling app has announced no such thing; what others have is none of its business. */
export class RegistrationNotFound extends DomainError {
  readonly kind = 'not-found';
}

export class DeadLetterNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(id: string) {
    super(`There is no dead letter "${id}".`);
  }
}

/** A key or value of an app that cannot be kept; the message says why. */
export class ConfigValueRejected extends DomainError {
  readonly kind = 'malformed';
}

export class UnknownSetting extends DomainError {
  readonly kind = 'malformed';

  constructor(appId: string, formId: string, fieldId: string) {
    super(`There is no setting "${fieldId}" in a form "${formId}" of the app "${appId}".`);
  }
}
