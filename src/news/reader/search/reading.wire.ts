import type { Request } from 'express';
import { z } from 'zod';
import { languageOf } from '../../../common/texts/languages.js';
import { textIn } from '../../../common/texts/translations.js';
import { describeQuery, type QueryTexts } from '../../query/describe-query.js';
import { printQuery } from '../../query/print-query.js';
import type { Query, UserPlaces } from '../../query/query.js';

export const ReadingAnswer = z
  .object({ canonical: z.string(), words: z.string() })
  .describe('How the query was understood: as it is written by us, and in words.');

/** Texts about queries, in the visitor's language. */
export function queryTexts(request: Request): QueryTexts {
  const language = languageOf(request);
  return (key, values) => textIn(language, 'query', key, values);
}

export function toReading(query: Query, places: UserPlaces, request: Request) {
  return {
    canonical: printQuery(query, places),
    words: describeQuery(query, places, queryTexts(request)),
  };
}
