import { Req } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { Get } from '../../../common/contracts/routes.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { orElse } from '../../../common/http/loose-inputs.js';
import { NewsController, V1_3 } from '../../http/levels.guard.js';
import { text } from '../../parameters.js';
import { describeQuery, hintsOf } from '../../query/describe-query.js';
import { parseQuery } from '../../query/parse-query.js';
import { FIELDS, PARTS, STATES } from '../../query/query-language.js';
import type { Query, UserPlaces } from '../../query/query.js';
import { assertRuleQuery } from '../../query/rule-query.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { queryTexts, ReadingAnswer, toReading } from './reading.wire.js';
import { SearchService } from './search.service.js';

const QueryReadingAnswer = ReadingAnswer.extend({
  hints: z.array(z.string()),
  isRule: z.boolean(),
  ruleProblem: z.string().nullable(),
});

const LanguageAnswer = z.object({
  fields: z.array(
    z.object({
      name: z.string(),
      example: z.string(),
      words: z.string(),
      values: z.array(z.string()),
    }),
  ),
});

/** `as` search: as `GET search` reads it, with `or` in any case and a last word that may be unfinished. */
const ReadQuery = z.object({ query: text, as: orElse(z.enum(['query', 'search']), 'query') });

const NO_PLACES: UserPlaces = { feed: [], folder: [], label: [], search: [] };

const VALUES: Readonly<Record<string, readonly string[]>> = { is: STATES, has: PARTS };

/** @see docs/news-api.md "The language of searches and rules" */
@NewsController(V1_3, 'search')
export class SearchLanguageController {
  constructor(private readonly search: SearchService) {}

  @Get('reading', 'Reads a query back, while it is typed.', QueryReadingAnswer)
  async reading(
    @CurrentReader() reader: Reader,
    @Input(ReadQuery) { query: typed, as }: In<typeof ReadQuery>,
    @Req() request: Request,
  ) {
    const { query, places } = await this.search.read(reader, typed, as === 'search');
    const ruleProblem = ruleProblemOf(query, places);
    return {
      ...toReading(query, places, request),
      hints: hintsOf(query, queryTexts(request)),
      isRule: ruleProblem === null,
      ruleProblem,
    };
  }

  @Get('language', 'Lists the fields of the language, for completion.', LanguageAnswer)
  language(@Req() request: Request) {
    const texts = queryTexts(request);
    return {
      fields: FIELDS.map(({ name, example }) => ({
        name,
        example,
        words: describeQuery(parseQuery(example), NO_PLACES, texts),
        values: [...(VALUES[name] ?? [])],
      })),
    };
  }
}

function ruleProblemOf(query: Query, places: UserPlaces): string | null {
  try {
    assertRuleQuery(query, places);
    return null;
  } catch (error) {
    if (error instanceof DomainError) {
      return error.message;
    }
    throw error;
  }
}
