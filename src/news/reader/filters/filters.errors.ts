import { invalid } from '../../../common/errors/domain-error.js';

export class InvalidFilter extends invalid((rule: string) => `The filter is not valid: ${rule}.`) {}
