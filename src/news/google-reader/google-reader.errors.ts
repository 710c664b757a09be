import { DomainError } from '../../common/errors/domain-error.js';

/** None of the user's feeds, folders and labels. */
export class UnknownStream extends DomainError {
  readonly kind = 'not-found';

  constructor(stream: string) {
    super(`There is nothing at "${stream}".`);
  }
}
