import { isRecord, REASONS, type Found } from './found-row.js';
import type { jsonRows } from './json-formats.js';
import { JsonSplitter, readJson } from './json-splitter.js';

/** The rows of a JSON file, while it is read. */
export async function* jsonFound(
  text: AsyncIterable<string>,
  toRow: ReturnType<typeof jsonRows>,
  end: { readonly isCut: boolean; readonly hasRest: boolean },
): AsyncGenerator<Found> {
  let number = 0;
  const found: Found[] = [];
  const splitter = new JsonSplitter((json, list) => {
    number += 1;
    const raw = json === null ? undefined : readJson(json);
    const row = isRecord(raw) ? toRow(raw, list) : REASONS[json === null ? 'tooLong' : 'damaged'];
    found.push(typeof row === 'string' ? { at: number, reason: row } : { at: number, row });
  });
  for await (const piece of text) {
    splitter.write(piece);
    yield* found.splice(0);
  }
  if (end.isCut || end.hasRest) {
    yield { at: number + 1, reason: end.isCut ? REASONS.cut : REASONS.rest };
  }
}
