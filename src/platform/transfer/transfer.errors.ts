import {
  conflict,
  DomainError,
  forbidden,
  invalid,
  notFound,
  tooMany,
} from '../../common/errors/domain-error.js';

/** None was made, or it has expired. */
export class ArchiveNotFound extends notFound('There is no archive of your account.') {}

export class ArchiveNotReady extends conflict('The archive of your account is not ready yet.') {}

export class TooManyArchives extends tooMany(
  (most: number, retryAfterSeconds: number) =>
    `You had ${most} archives made within a day; try again in ${Math.ceil(retryAfterSeconds / 3600)} h.`,
  (_most, retryAfterSeconds) => ({ retryAfterSeconds }),
) {}

export class ArchiveTooLarge extends invalid(
  (mostMib: number) =>
    `The archive would be larger than ${mostMib} MiB, the most that this installation allows. Leave out the files, and download these by themselves.`,
) {}

/** It was replaced by another one, or its account was deleted, while it was made. */
export class ArchiveGone extends Error {}

export class NotForApps extends forbidden('An app cannot take everything with it.') {}

export class ArchiveDamaged extends DomainError {
  readonly kind = 'invalid';

  constructor(options?: ErrorOptions) {
    super('The archive is damaged or ends in the middle.', options);
  }
}
