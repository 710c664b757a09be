import { DomainError } from '../common/errors/domain-error.js';

export class AccountNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(userId: string) {
    super(`There is no user "${userId}".`);
  }
}

export class AccountAlreadyExists extends DomainError {
  readonly kind = 'conflict';

  constructor(userId: string) {
    super(`There is already a user "${userId}".`);
  }
}

export class InvalidUserId extends DomainError {
  readonly kind = 'invalid';

  constructor(userId: string) {
    super(
      `A user name has 1 to 64 letters, digits or the signs _ . @ - and not dots alone, but is ${JSON.stringify(userId)}.`,
    );
  }
}

export class InvalidPassword extends DomainError {
  readonly kind = 'invalid';

  constructor(rule: string) {
    super(`The password ${rule}.`);
  }
}

/** The directory verifies the passwords of its users. */
export class PasswordElsewhere extends DomainError {
  readonly kind = 'conflict';

  constructor() {
    super('The password of this account is that of the directory, and is changed there.');
  }
}

/** Logins of users of the directory fail; those of others work. */
export class DirectoryUnavailable extends DomainError {
  readonly kind = 'unavailable';
  override readonly retryAfterSeconds = 30;

  /** @param options the cause, for the log */
  constructor(options?: ErrorOptions) {
    super('The directory of accounts cannot be reached at the moment. Try again later.', options);
  }
}

export class InvalidDisplayName extends DomainError {
  readonly kind = 'invalid';

  constructor() {
    super('A display name has 1 to 200 characters, none of which is a control character.');
  }
}

export class InvalidEmail extends DomainError {
  readonly kind = 'invalid';

  constructor() {
    super('This is not an email address.');
  }
}

export class InvalidQuota extends DomainError {
  readonly kind = 'invalid';

  constructor() {
    super(
      'A storage quota is a size such as "5 GB" or "512 MB", a number of bytes, "none" or "default".',
    );
  }
}

/** Without an administrator, only the CLI could add one. */
export class LastAdministrator extends DomainError {
  readonly kind = 'conflict';

  constructor(userId: string) {
    super(
      `"${userId}" is the last administrator who can log in; make another user an administrator first.`,
    );
  }
}

/** Administrators may do this only to other users. */
export class NotToOneself extends DomainError {
  readonly kind = 'conflict';

  /** @param what for instance `delete yourself` */
  constructor(what: string) {
    super(`You cannot ${what}; another administrator can.`);
  }
}

export class UnknownGroup extends DomainError {
  readonly kind = 'not-found';

  constructor(groupId: string) {
    super(`There is no group "${groupId}".`);
  }
}

export class GroupAlreadyExists extends DomainError {
  readonly kind = 'conflict';

  constructor(groupId: string) {
    super(`There is already a group "${groupId}".`);
  }
}

export class InvalidGroup extends DomainError {
  readonly kind = 'invalid';

  constructor() {
    super(
      'The id and name of a group have 1 to 64 characters, without slashes and control characters.',
    );
  }
}

/** The administrators' group is built in. */
export class AdministratorsStay extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('The group of administrators can be neither renamed nor removed.');
  }
}

export class UnknownUserField extends DomainError {
  readonly kind = 'invalid';

  constructor(key: string) {
    super(
      `The field "${key}" of a user cannot be changed; displayname, password, email and, for administrators, quota can.`,
    );
  }
}

export class InvalidPicture extends DomainError {
  readonly kind = 'invalid';

  constructor() {
    super('A picture must be a PNG, JPEG or WebP file of at most 5 MiB.');
  }
}

export class InvalidAppPasswordName extends DomainError {
  readonly kind = 'invalid';

  constructor() {
    super(
      'The name of an app password has 1 to 200 characters, none of which is a control character.',
    );
  }
}

/** Rights of an app password that its scope does not contain. */
export class ScopeTooNarrow extends DomainError {
  readonly kind = 'invalid';

  constructor() {
    super(
      'An app password for administration must be for everything, one with a Fever key for everything or the feed reader.',
    );
  }
}

export class InvalidExpiry extends DomainError {
  readonly kind = 'invalid';

  /** @param longestDays lifetime that this installation allows; 0: any */
  constructor(longestDays: number) {
    super(
      longestDays === 0
        ? 'An app password must end in the future.'
        : `An app password must end in the future, here within ${longestDays} days.`,
    );
  }
}

export class AppPasswordNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(userId: string, id: number) {
    super(`User "${userId}" has no app password ${id}.`);
  }
}

export class SessionNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(id: number) {
    super(`There is no session ${id}.`);
  }
}

/** Wrong credentials in the login form; without a challenge. */
export class LoginRefused extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('User name or password is wrong.');
  }
}

export class OldPasswordWrong extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('The old password is wrong.');
  }
}

/** The route requires the account's password or a session. */
export class AccountPasswordRequired extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('This requires the account password; an app password is not enough.');
  }
}

export class AppPasswordRequired extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('This requires an app password.');
  }
}

export class LoginFlowNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor() {
    super('No program waits for this login.');
  }
}

export class TooManyLoginFlows extends DomainError {
  readonly kind = 'too-many';

  constructor(override readonly retryAfterSeconds: number) {
    super('Too many program logins are in progress. Try again later.');
  }
}

export class TooManyLoginAttempts extends DomainError {
  readonly kind = 'too-many';

  constructor(override readonly retryAfterSeconds: number) {
    super(`Too many failed logins. Try again in ${retryAfterSeconds} s.`);
  }
}

/** The queue of password verifications is full. */
export class TooManyVerifications extends DomainError {
  readonly kind = 'unavailable';
  override readonly retryAfterSeconds = 2;

  constructor() {
    super('Too many logins at once. Try again in a moment.');
  }
}

export class NotificationNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(id: number) {
    super(`There is no notification ${id}.`);
  }
}
