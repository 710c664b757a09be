import { tooMany } from '../../common/errors/domain-error.js';

const DAY_SECONDS = 86_400;

/** Nothing of the request is stored. */
export class FeedFullForToday extends tooMany(
  (count: number) =>
    `This feed got ${count} new items within a day, as many as this installation allows. Try again tomorrow.`,
  { retryAfterSeconds: DAY_SECONDS },
) {}
