import { invalid, notFound } from '../../../common/errors/domain-error.js';

export class LabelNotFound extends notFound((labelId: number) => `There is no label ${labelId}.`) {}

export class InvalidLabelName extends invalid((rule: string) => `The name of a label ${rule}.`) {}
