import { z } from 'zod';
import { integer, text } from '../../parameters.js';

const MOST_NAMES = 100;

/** Forms and queries send a list of one element as the element. */
const listOf = <Element extends z.ZodType>(element: Element, most: number, error: string) =>
  z.preprocess(
    (value) => (Array.isArray(value) ? value : [value ?? []].flat()),
    z.array(element, { error }).max(most, { error: `must have at most ${most} entries` }),
  );

const names = listOf(text, MOST_NAMES, 'must be names of labels');

const CHANGE = { add: names, remove: names };

export const LabelPath = z.object({ labelId: integer });
export const RenameLabel = z.object({ labelId: integer, name: text });
export const ChangeLabels = z.object({ itemId: integer, ...CHANGE });
export const ChangeLabelsOfMany = z.object({
  itemIds: listOf(integer, Number.MAX_SAFE_INTEGER, 'must be item ids'),
  ...CHANGE,
});
