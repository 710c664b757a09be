import { errorOf } from '../../../common/errors/domain-error.js';

export class InvalidSearch extends errorOf('invalid', (rule: string) => `The search ${rule}.`) {}
