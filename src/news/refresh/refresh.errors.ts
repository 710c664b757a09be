import { tooMany } from '../../common/errors/domain-error.js';

/** Each user has one refresh at a time; a request for the same feeds joins it. */
export class RefreshUnderWay extends tooMany(
  'Other feeds of yours are being fetched; try again when that is done.',
  { retryAfterSeconds: 5 },
) {}

export class RefreshLimitReached extends tooMany(
  (mostFeeds: number, retryAfterSeconds: number) =>
    `You had ${mostFeeds} feeds fetched within an hour; try again in ${Math.ceil(retryAfterSeconds / 60)} min.`,
  (_mostFeeds, retryAfterSeconds) => ({ retryAfterSeconds }),
) {}
