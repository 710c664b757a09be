import { conflict, invalid } from '../../common/errors/domain-error.js';

/** The export cannot be imported unchanged. Nothing was written; the message explains the fix. */
export class ImportRefused extends conflict() {}

export class UnreadableExport extends invalid(
  (line: number, problem: string) => `Line ${line} of the export ${problem}`,
) {}
