import { invalid } from '../../../common/errors/domain-error.js';

export class InvalidSearch extends invalid((rule: string) => `The search ${rule}.`) {}
