import { z } from 'zod';
import { orElse } from '../../../common/http/loose-inputs.js';
import { boolean, integer, text } from '../../parameters.js';
import { SELECTED, toSelection } from '../items/items.input.js';
import { readPlace } from './place.js';

const ROWS = 60;
const MOST_ROWS = 500;
/** `MarkedItems.stampsMicros` of a million items has 200. */
const MOST_STAMPS = 5000;

const place = z.preprocess(
  (value) => value ?? null,
  z.union(
    [z.null(), text.transform(readPlace).pipe(z.object({ dateSeconds: z.int(), id: z.int() }))],
    {
      error: 'must be the "place" or "next" of an earlier answer',
    },
  ),
);

export const rowsOfPage = orElse(
  integer.refine((rows) => rows >= 1 && rows <= MOST_ROWS, {
    error: `must be 1 to ${MOST_ROWS}`,
  }),
  ROWS,
);

/** A list, as `GET /items` selects it. */
const LIST = {
  ...SELECTED,
  getRead: orElse(boolean, true),
  oldestFirst: orElse(boolean, false),
  after: place,
};

export const ListRows = z
  .object({ ...LIST, batchSize: rowsOfPage })
  .transform(({ type, id, getRead, oldestFirst, after, batchSize }) => ({
    selection: toSelection(type, id, !getRead),
    page: { oldestFirst, after, limit: batchSize },
  }));

export const ListChangedRows = z.object({ since: integer });

export const MarkRowsRead = z
  .object({ ...LIST, newestItemId: integer })
  .transform(({ type, id, getRead, oldestFirst, after, newestItemId }) => ({
    selection: toSelection(type, id, !getRead),
    oldestFirst,
    after,
    upToId: newestItemId,
  }));

export const UndoMarking = z.object({
  undo: z
    .array(integer, { error: 'must be the "undo" of an earlier answer' })
    .max(MOST_STAMPS, { error: `must have at most ${MOST_STAMPS} numbers` }),
});

export { place as placeParameter };
