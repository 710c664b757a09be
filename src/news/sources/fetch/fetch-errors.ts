import { DomainError } from '../../../common/errors/domain-error.js';

/** What was entered cannot be the address of a feed. The message says why, and repeats nothing. */
export class InvalidFeedAddress extends DomainError {
  readonly kind = 'invalid';
}

const STATUS_REASONS: Readonly<Record<number, string>> = {
  401: 'asks for a user name and password, or does not accept the given ones',
  403: 'does not let this program in',
  404: 'has nothing at this address',
  410: 'says that this feed is gone for good',
  429: 'asks to be called less often',
};

/** Says what a status other than success means for a reader. Names the server only. */
export function describeStatus(host: string, status: number): string {
  const reason =
    STATUS_REASONS[status] ?? (status >= 500 ? 'has trouble of its own' : 'did not send the feed');
  return `The server at ${host} ${reason} (status ${status}).`;
}
