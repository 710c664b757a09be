import { z } from 'zod';
import { orElse } from '../../../common/http/loose-inputs.js';
import { boolean, integer, text } from '../../parameters.js';
import { SELECTED, toSelection } from '../items/items.input.js';
import { placeParameter, rowsOfPage } from '../rows/rows.input.js';

const SEARCH_BATCH = 100;
const LARGEST_SEARCH_BATCH = 1000;

/** Newest first, read items included by default. */
export const SearchItems = z
  .object({
    query: text,
    ...SELECTED,
    getRead: orElse(boolean, true),
    batchSize: orElse(integer, SEARCH_BATCH),
    offset: orElse(integer, 0),
  })
  .transform(({ query, type, id, getRead, batchSize, offset }) => ({
    query,
    selection: toSelection(type, id, !getRead),
    page: {
      offset: offset <= 0 ? null : offset,
      limit: batchSize <= 0 ? SEARCH_BATCH : Math.min(batchSize, LARGEST_SEARCH_BATCH),
    },
  }));

/** The same as rows, newest date first. */
export const SearchRows = z
  .object({
    query: text,
    ...SELECTED,
    getRead: orElse(boolean, true),
    batchSize: rowsOfPage,
    after: placeParameter,
  })
  .transform(({ query, type, id, getRead, batchSize, after }) => ({
    query,
    selection: toSelection(type, id, !getRead),
    page: { after, limit: batchSize },
  }));
