import { z } from 'zod';
import { openingText, snippetOf } from '../rows/opening.js';
import { toRow, RowFields } from '../rows/rows.wire.js';
import { writePlace } from '../rows/place.js';
import type { ListedRow } from '../rows/rows.repository.js';
import { patternOf, rangesOf } from './search-words.js';
import type { FoundRows } from './search.service.js';

/** Most characters of a text before the first word found in it; a line of a narrow list holds 38. */
const BEFORE = 20;

/** @see docs/news-api.md "Search" */
export function toFoundPage(query: string, { rows, isFull, first }: FoundRows) {
  const pattern = patternOf(query.trim());
  const last = rows.at(-1);
  return {
    rows: rows.map((row) => toFoundRow(row, pattern)),
    next: isFull && last !== undefined ? writePlace(last) : null,
    ...(first === null ? {} : { matches: first.matches, since: first.changesKnownMicros }),
  };
}

/** With the part of the text that has the words, and where they are. */
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
  // From the beginning of a word, where words have spaces between them.
  return `…${snippetOf(start.replace(/^\S{0,20}\s+/, ''))}`;
}

const ranges = z.array(z.array(z.int()).length(2)).describe('Beginning and end of each place.');

export const FoundRowsAnswer = z.object({
  rows: z.array(z.object({ ...RowFields, titleRanges: ranges, snippetRanges: ranges })),
  next: z.string().nullable(),
  matches: z.object({ count: z.int(), isExact: z.boolean() }).optional(),
  since: z.int().optional(),
});
