import { DomainError } from '../../../common/errors/domain-error.js';

export class LabelNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(labelId: number) {
    super(`There is no label ${labelId}.`);
  }
}

export class InvalidLabelName extends DomainError {
  readonly kind = 'invalid';

  constructor(rule: string) {
    super(`The name of a label ${rule}.`);
  }
}
