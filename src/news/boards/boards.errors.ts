import { forbidden, invalid, notFound, tooMany } from '../../common/errors/domain-error.js';

export class BoardEntryNotFound extends notFound(
  (entryId: number) => `The board has no entry ${entryId}.`,
) {}

export class AddedByOthers extends forbidden(
  'Only who added it, an editor of the folder, or an administrator removes an entry of a board.',
) {}

export class PrivateForBoard extends forbidden(
  'This article cannot be added to a board: it comes from a feed with credentials, or was added by you or an app.',
) {}

export class BoardFullForToday extends tooMany(
  (most: number, _retryAfterSeconds: number) =>
    `The board got ${most} entries within a day, as many as this installation allows. Try again tomorrow.`,
  (_most, retryAfterSeconds) => ({ retryAfterSeconds }),
) {}

export class BoardWebhookNotFound extends notFound(
  (id: number) => `The board has no webhook ${id}.`,
) {}

export class BoardWebhookExists extends invalid(
  'The board has a webhook to this address already.',
) {}

export class TooManyDigestTimes extends tooMany(
  (most: number, _retryAfterSeconds: number) =>
    `The time of the digest was set ${most} times within a day, as often as is allowed. Try again tomorrow.`,
  (_most, retryAfterSeconds) => ({ retryAfterSeconds }),
) {}

export class RefusalNotFound extends notFound(
  'There is no such link to decline the mails of a board.',
) {}
