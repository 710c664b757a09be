import { linesOf } from '../../../common/lines-of.js';
import { at, isRecord, REASONS, UnreadableImport, type Found } from './found-row.js';
import type { ImportFile } from './import-file.js';
import { JSON_FORMATS, jsonRows } from './json-formats.js';
import { jsonFound } from './json-found.js';
import { readJson } from './json-splitter.js';

const WHOLE = { isCut: false, hasRest: false };

/** Articles that Gatefold wrote into the archive of an account, in the JSON of FreshRSS. */
export async function* articlesOfGatefold(file: ImportFile): AsyncGenerator<Found> {
  const format = JSON_FORMATS.find(({ name }) => name === 'freshrss');
  if (format !== undefined) {
    yield* jsonFound(file.text('utf-8'), jsonRows(format, {}), WHOLE);
  }
}

/**
 * Articles that were read, by their feeds and guids. Unread ones are left out: they are unread anyway, or were read
 * since. The newest come first.
 */
export async function* readArticles(file: ImportFile, most: number): AsyncGenerator<Found> {
  let number = 0;
  const tooLong = () => new UnreadableImport('The file has a line that is too long.');
  for await (const line of linesOf(file.bytes(), tooLong)) {
    const state = readJson(line);
    if (!isRecord(state) || at(state, 'unread') !== false) {
      continue;
    }
    number += 1;
    if (number >= most) {
      yield { at: number, reason: REASONS.manyRead };
      return;
    }
    const row = { guid: at(state, 'guid'), feedUrl: at(state, 'feed'), read: true };
    yield { at: number, row };
  }
}
