import { Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Get } from '../../../common/contracts/routes.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { orElse } from '../../../common/http/loose-inputs.js';
import { Turns } from '../../../common/turns.js';
import { sendJsonList } from '../../http/json-list-stream.js';
import { EVERY_LEVEL, NewsController } from '../../http/levels.guard.js';
import { boolean, integer, text, unlessAbsent } from '../../parameters.js';
import { rangesIn } from '../../query/marks.js';
import { isTimeZone } from '../../query/moments.js';
import type { Query } from '../../query/query.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { SELECTED, toSelection } from '../items/items.input.js';
import { itemJson, ItemsAnswer } from '../items/items.wire.js';
import { openingText, snippetOf } from '../rows/opening.js';
import { writePlace } from '../rows/place.js';
import { placeParameter, rowsOfPage } from '../rows/rows.input.js';
import type { ListedRow } from '../rows/rows.sql.js';
import { toRow, RowFields } from '../rows/rows.wire.js';
import { ReadingAnswer, toReading } from './reading.wire.js';
import { SearchService, type FoundRows } from './search.service.js';

/** Most characters of a text before the first word found in it; a line of a narrow list holds 38. */
const BEFORE = 20;

const ranges = z.array(z.array(z.int()).length(2)).describe('Beginning and end of each place.');

const FoundRowsAnswer = z.object({
  rows: z.array(z.object({ ...RowFields, titleRanges: ranges, snippetRanges: ranges })),
  next: z.string().nullable(),
  matches: z.object({ count: z.int(), isExact: z.boolean() }).optional(),
  since: z.int().optional(),
  reading: ReadingAnswer.optional(),
  isIndexed: z.boolean().optional().describe('False: older articles are still being indexed.'),
});

const SEARCH_BATCH = 100;
const LARGEST_SEARCH_BATCH = 1000;

/** A query or a saved search, in a list of which read items are a part by default. */
const SOUGHT = {
  query: unlessAbsent(text),
  searchId: unlessAbsent(integer),
  ...SELECTED,
  getRead: orElse(boolean, true),
  timeZone: orElse(text.refine(isTimeZone, { error: 'must be the name of a time zone' }), 'UTC'),
};

const IS_ASKED = {
  path: ['query'],
  error: 'is missing',
};

function toRequest({
  query = '',
  searchId,
  type,
  id,
  getRead,
  timeZone,
}: z.output<z.ZodObject<typeof SOUGHT>>) {
  const search = searchId === undefined ? { query } : { searchId };
  return { search, selection: toSelection(type, id, !getRead), timeZone };
}

const isAsked = ({ query, searchId }: { readonly query?: unknown; readonly searchId?: unknown }) =>
  query !== undefined || searchId !== undefined;

/** Newest first. */
const SearchItems = z
  .object({ ...SOUGHT, batchSize: orElse(integer, SEARCH_BATCH), offset: orElse(integer, 0) })
  .refine(isAsked, IS_ASKED)
  .transform(({ batchSize, offset, ...sought }) => ({
    request: toRequest(sought),
    page: {
      offset: offset <= 0 ? null : offset,
      limit: batchSize <= 0 ? SEARCH_BATCH : Math.min(batchSize, LARGEST_SEARCH_BATCH),
    },
  }));

/** Results as rows. */
const SearchRows = z
  .object({
    ...SOUGHT,
    batchSize: rowsOfPage,
    after: placeParameter,
    order: orElse(z.enum(['date', 'relevance']), 'date'),
  })
  .refine(isAsked, IS_ASKED)
  .transform(({ batchSize, after, order, ...sought }) => ({
    request: toRequest(sought),
    page: { after, limit: batchSize },
    order,
  }));

/** @see docs/news-api.md "Beyond the specification" */
@NewsController(EVERY_LEVEL, 'search')
export class SearchController {
  constructor(private readonly search: SearchService) {}

  @InTurn()
  @Get('rows', 'Finds items by words, without their bodies.', FoundRowsAnswer)
  async rows(
    @CurrentReader() reader: Reader,
    @Input(SearchRows) { request, page, order }: In<typeof SearchRows>,
    @Req() http: Request,
  ) {
    return toFoundPage(await this.search.rows(reader, request, page, order), http);
  }

  @Get('', 'Finds items by words.', ItemsAnswer)
  async find(
    @CurrentReader() reader: Reader,
    @Input(SearchItems) { request, page }: In<typeof SearchItems>,
    @Res() response: Response,
  ): Promise<void> {
    const found = await this.search.find(reader, request, page);
    await sendJsonList(response, 'items', found, itemJson);
  }
}

/** @see docs/news-api.md "Search" */
async function toFoundPage({ query, rows, next, first }: FoundRows, http: Request) {
  return {
    rows: await new Turns().map(rows, (row) => toFoundRow(row, query)),
    next: next === null ? null : writePlace(next),
    ...(first === null
      ? {}
      : {
          matches: first.matches,
          since: first.changesKnownMicros,
          reading: toReading(query, first.places, http),
          isIndexed: first.isIndexed,
        }),
  };
}

/** Adds the text around the words, and their positions. */
function toFoundRow(row: ListedRow, query: Query) {
  const shown = toRow(row);
  const snippet = snippetAround(openingText(row.opening), query);
  return {
    ...shown,
    snippet,
    titleRanges: rangesIn(shown.title, query, 'title'),
    snippetRanges: rangesIn(snippet, query),
  };
}

function snippetAround(text: string, query: Query): string {
  const [first] = rangesIn(text, query);
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
