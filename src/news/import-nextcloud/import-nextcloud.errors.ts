import { DomainError, errorOf } from '../../common/errors/domain-error.js';

/** The export cannot be imported unchanged. Nothing was written; the message explains the fix. */
export class ImportRefused extends DomainError {
  readonly kind = 'conflict';
}

/** A line of the export is invalid. */
export class UnreadableExport extends errorOf(
  'invalid',
  (line: number, problem: string) => `Line ${line} of the export ${problem}`,
) {}
