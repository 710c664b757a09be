import { conflict, forbidden, invalid } from '../../../common/errors/domain-error.js';

export class DeletionIsOff extends forbidden(
  'Accounts are not deleted by their owners here. Ask an administrator.',
) {}

export class DecidedElsewhere extends forbidden(
  'Your account comes from a directory or an identity provider. Ask those who manage it there to have it deleted.',
) {}

/** The owner has not asked for the deletion, or has kept the account, or it is being deleted already. */
export class NotLeaving extends conflict('There is no request to delete this account any more.') {}

export class InvalidReason extends invalid(
  (most: number) => `A reason has at most ${most} characters.`,
) {}
