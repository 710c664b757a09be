import { DomainError } from '../../common/errors/domain-error.js';

export class SourceNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(sourceId: number) {
    super(`There is no source ${sourceId}.`);
  }
}
