import { errorOf } from '../../../common/errors/domain-error.js';

export class InvalidFilter extends errorOf(
  'invalid',
  (rule: string) => `The filter is not valid: ${rule}.`,
) {}
