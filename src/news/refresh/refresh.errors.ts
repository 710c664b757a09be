import { DomainError, errorOf } from '../../common/errors/domain-error.js';

/** Each user has one refresh at a time; a request for the same feeds joins it. */
export class RefreshUnderWay extends errorOf(
  'too-many',
  'Other feeds of yours are being fetched; try again when that is done.',
  { retryAfterSeconds: 5 },
) {}

export class RefreshLimitReached extends DomainError {
  readonly kind = 'too-many';

  constructor(
    mostFeeds: number,
    override readonly retryAfterSeconds: number,
  ) {
    const minutes = Math.ceil(retryAfterSeconds / 60);
    super(`You had ${mostFeeds} feeds fetched within an hour; try again in ${minutes} min.`);
  }
}
