import { conflict, invalid, notFound } from '../../common/errors/domain-error.js';

export class ImportNotFound extends notFound((id: number) => `There is no import ${id}.`) {}

export class ImportUnderWay extends conflict(
  'Another import is under way. Wait until it has ended, or stop it.',
) {}

export class ImportStarted extends conflict('This import was started already.') {}

export class ImportNotUndone extends conflict(
  'Only an import that has ended can be undone, within 30 days.',
) {}

export class FileMissing extends invalid('Choose a file first.') {}
