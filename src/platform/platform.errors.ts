import {
  conflict,
  DomainError,
  forbidden,
  invalid,
  notFound,
  tooMany,
  unavailable,
} from '../common/errors/domain-error.js';

export class AccountNotFound extends notFound(
  (userId: string) => `There is no user "${userId}".`,
) {}

export class AccountAlreadyExists extends conflict(
  (userId: string) => `There is already a user "${userId}".`,
) {}

/** Nothing of the account is removed until the hold ends. */
export class AccountHeld extends conflict(
  (userId: string) =>
    `An administrator holds the account of "${userId}": nothing of it is removed until the hold ends.`,
) {}

export class BeingDeleted extends conflict(
  (userId: string) => `The account of "${userId}" is being deleted already.`,
) {}

export class InvalidHoldEnd extends invalid(
  'A hold ends on a day to come, such as 2031-12-31, or at once with "off".',
) {}

export class InvalidUserId extends invalid(
  (userId: string) =>
    `A user name has 1 to 64 letters, digits or the signs _ . @ - and not dots alone, but is ${JSON.stringify(userId)}.`,
) {}

export class InvalidPassword extends invalid((rule: string) => `The password ${rule}.`) {}

/** The directory verifies the passwords of its users. */
export class PasswordElsewhere extends conflict(
  'The password of this account is that of the directory, and is changed there.',
) {}

/** Logins of the directory's users fail; other users' work. */
export class DirectoryUnavailable extends DomainError {
  readonly kind = 'unavailable';
  override readonly retryAfterSeconds = 30;

  /** @param options the cause, for the log */
  constructor(options?: ErrorOptions) {
    super('The directory of accounts cannot be reached at the moment. Try again later.', options);
  }
}

export class InvalidDisplayName extends invalid(
  'A display name has 1 to 200 characters, none of which is a control character.',
) {}

export class InvalidEmail extends invalid('This is not an email address.') {}

export class InvalidQuota extends invalid(
  'A storage quota is a size such as "5 GB" or "512 MB", a number of bytes, "none" or "default".',
) {}

/** Refused: without an administrator, only the CLI could add one. */
export class LastAdministrator extends conflict(
  (userId: string) =>
    `"${userId}" is the last administrator who can log in; make another user an administrator first.`,
) {}

/**
 * Administrators may not do this to themselves.
 *
 * @param what for instance `delete yourself`
 */
export class NotToOneself extends conflict(
  (what: string) => `You cannot ${what}; another administrator can.`,
) {}

export class UnknownGroup extends notFound(
  (groupId: string) => `There is no group "${groupId}".`,
) {}

export class GroupAlreadyExists extends conflict(
  (groupId: string) => `There is already a group "${groupId}".`,
) {}

export class InvalidGroup extends invalid(
  'The id and name of a group have 1 to 64 characters, without slashes and control characters.',
) {}

/** The administrators' group is built in. */
export class AdministratorsStay extends forbidden(
  'The group of administrators can be neither renamed nor removed.',
) {}

export class UnknownUserField extends invalid(
  (key: string) =>
    `The field "${key}" of a user cannot be changed; displayname, password, email and, for administrators, quota can.`,
) {}

export class InvalidPicture extends invalid(
  'A picture must be a PNG, JPEG or WebP file of at most 5 MiB and 50 megapixels.',
) {}

export class InvalidAppPasswordName extends invalid(
  'The name of an app password has 1 to 200 characters, none of which is a control character.',
) {}

/** Rights of an app password that its scope does not contain. */
export class ScopeTooNarrow extends invalid(
  'An app password for administration must be for everything, one with a Fever key for everything or the feed reader.',
) {}

/** @param longestDays lifetime that this installation allows; 0: any */
export class InvalidExpiry extends invalid((longestDays: number) =>
  longestDays === 0
    ? 'An app password must end in the future.'
    : `An app password must end in the future, here within ${longestDays} days.`,
) {}

export class AppPasswordNotFound extends notFound(
  (userId: string, id: number) => `User "${userId}" has no app password ${id}.`,
) {}

export class SessionNotFound extends notFound((id: number) => `There is no session ${id}.`) {}

/** Wrong credentials in the login form; without a challenge. */
export class LoginRefused extends forbidden('User name or password is wrong.') {}

export class WrongCode extends forbidden('The code is wrong, or was used before.') {}

/** A wrong, old or foreign answer of an authenticator. Does not reveal which. */
export class PasskeyRefused extends forbidden('The passkey was not accepted. Try again.') {}

/** The passkey is valid, but an external directory decides who may log in to the account. */
export class PasskeyNotEnough extends forbidden(
  'This passkey only confirms logins. Log in with your password or your provider first.',
) {}

/** Browsers have passkeys for host names only. */
export class PasskeysNeedHostName extends invalid(
  'Passkeys need a host name in the address, not an IP address. Ask an administrator for it.',
) {}

/** `GATEFOLD_PASSWORD_LOGIN` is off. */
export class PasswordsNotTaken extends forbidden(
  'Passwords of accounts are not used here: log in as your organisation provides.',
) {}

export class OldPasswordWrong extends forbidden('The old password is wrong.') {}

/** The route requires the account's password or a session. */
export class AccountPasswordRequired extends forbidden(
  'This requires the account password; an app password is not enough.',
) {}

export class AppPasswordRequired extends forbidden('This requires an app password.') {}

export class LoginFlowNotFound extends notFound('No program waits for this login.') {}

export class TooManyLoginFlows extends tooMany(
  'Too many program logins are in progress. Try again later.',
  (retryAfterSeconds: number) => ({ retryAfterSeconds }),
) {}

export class TooManyLoginAttempts extends tooMany(
  (retryAfterSeconds: number) => `Too many failed logins. Try again in ${retryAfterSeconds} s.`,
  (retryAfterSeconds) => ({ retryAfterSeconds }),
) {}

/** The queue of password verifications is full. */
export class TooManyVerifications extends unavailable(
  'Too many logins at once. Try again in a moment.',
  { retryAfterSeconds: 2 },
) {}

export class NotificationNotFound extends notFound(
  (id: number) => `There is no notification ${id}.`,
) {}
