import { errorOf } from '../../../common/errors/domain-error.js';

export class LabelNotFound extends errorOf(
  'not-found',
  (labelId: number) => `There is no label ${labelId}.`,
) {}

export class InvalidLabelName extends errorOf(
  'invalid',
  (rule: string) => `The name of a label ${rule}.`,
) {}
