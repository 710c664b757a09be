import { Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { Get } from '../../../common/contracts/routes.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { orElse } from '../../../common/http/loose-inputs.js';
import { sendJsonList } from '../../http/json-list-stream.js';
import { EVERY_LEVEL, NewsController } from '../../http/levels.guard.js';
import { boolean, integer, text } from '../../parameters.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { SELECTED, toSelection } from '../items/items.input.js';
import { itemJson, ItemsAnswer } from '../items/items.wire.js';
import { openingText, snippetOf } from '../rows/opening.js';
import { writePlace } from '../rows/place.js';
import { placeParameter, rowsOfPage } from '../rows/rows.input.js';
import type { ListedRow } from '../rows/rows.repository.js';
import { toRow, RowFields } from '../rows/rows.wire.js';
import { patternOf, rangesOf } from './search-words.js';
import { SearchService, type FoundRows } from './search.service.js';

/** Most characters of a text before the first word found in it; a line of a narrow list holds 38. */
const BEFORE = 20;

const ranges = z.array(z.array(z.int()).length(2)).describe('Beginning and end of each place.');

const FoundRowsAnswer = z.object({
  rows: z.array(z.object({ ...RowFields, titleRanges: ranges, snippetRanges: ranges })),
  next: z.string().nullable(),
  matches: z.object({ count: z.int(), isExact: z.boolean() }).optional(),
  since: z.int().optional(),
});

const SEARCH_BATCH = 100;
const LARGEST_SEARCH_BATCH = 1000;

/** Newest first, read items included by default. */
const SearchItems = z
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

/** Results as rows, newest date first. */
const SearchRows = z
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

/** @see docs/news-api.md "Beyond the specification" */
@NewsController(EVERY_LEVEL, 'search')
export class SearchController {
  constructor(private readonly search: SearchService) {}

  @InTurn()
  @Get('rows', 'Finds items by words, without their bodies.', FoundRowsAnswer)
  async rows(
    @CurrentReader() reader: Reader,
    @Input(SearchRows) { query, selection, page }: In<typeof SearchRows>,
  ) {
    return toFoundPage(query, await this.search.rows(reader, query, selection, page));
  }

  @Get('', 'Finds items by words.', ItemsAnswer)
  async find(
    @CurrentReader() reader: Reader,
    @Input(SearchItems) { query, selection, page }: In<typeof SearchItems>,
    @Res() response: Response,
  ): Promise<void> {
    const found = await this.search.find(reader, query, selection, page);
    await sendJsonList(response, 'items', found, itemJson);
  }
}

/** @see docs/news-api.md "Search" */
function toFoundPage(query: string, { rows, isFull, first }: FoundRows) {
  const pattern = patternOf(query.trim());
  const last = rows.at(-1);
  return {
    rows: rows.map((row) => toFoundRow(row, pattern)),
    next: isFull && last !== undefined ? writePlace(last) : null,
    ...(first === null ? {} : { matches: first.matches, since: first.changesKnownMicros }),
  };
}

/** Adds the text around the words, and their positions. */
function toFoundRow(row: ListedRow, pattern: RegExp | null) {
  const shown = toRow(row);
  const snippet = snippetAround(openingText(row.opening), pattern);
  return {
    ...shown,
    snippet,
    titleRanges: rangesOf(shown.title, pattern),
    snippetRanges: rangesOf(snippet, pattern),
  };
}

function snippetAround(text: string, pattern: RegExp | null): string {
  const [first] = rangesOf(text, pattern);
  if (first === undefined || first[0] <= BEFORE) {
    return snippetOf(text);
  }
  const start = text
    .slice(first[0] - BEFORE)
    .toWellFormed()
    .replace(/^\uFFFD/, '');
  // Starts at a word, where words have spaces between them.
  return `…${snippetOf(start.replace(/^\S{0,20}\s+/, ''))}`;
}
