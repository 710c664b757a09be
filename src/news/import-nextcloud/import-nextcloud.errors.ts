import { DomainError } from '../../common/errors/domain-error.js';

/** The export cannot be taken over as it is. Nothing was written; the message says what helps. */
export class ImportRefused extends DomainError {
  readonly kind = 'conflict';
}

/** A line of the export is not what it should be. */
export class UnreadableExport extends DomainError {
  readonly kind = 'invalid';

  constructor(line: number, problem: string) {
    super(`Line ${line} of the export ${problem}`);
  }
}
