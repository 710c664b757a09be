import { z } from 'zod';
import { Get } from '../../common/contracts/routes.js';
import { InTurn } from '../../common/http/answer-turns.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { shownSentence } from '../../common/texts/visitor-language.js';
import { EVERY_LEVEL, NewsController } from '../http/levels.guard.js';
import { titleOrHost } from '../news.wire.js';
import { text } from '../parameters.js';
import { CurrentReader } from '../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { SuggestionsService } from './suggestions.service.js';

const SuggestionsAnswer = z.object({
  suggestions: z.array(
    z.object({
      title: z.string(),
      url: z.string(),
      link: z.string(),
      language: z.string().nullable(),
      topics: z.array(z.string()),
      reason: z.string().nullable(),
      feedId: z.int().nullable().describe('The feed, if the caller follows it.'),
    }),
  ),
  topics: z.array(z.string()).describe('Of the starter list, the most frequent first.'),
});

const FindFeeds = z.object({
  q: text.max(200, { error: 'must have at most 200 characters' }).default(''),
});

/**
 * Feeds by name and topic. Not part of the specification.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(EVERY_LEVEL, 'feeds')
export class SuggestionsController {
  constructor(private readonly suggestions: SuggestionsService) {}

  @InTurn()
  @Get('suggestions', 'Finds feeds by name and topic.', SuggestionsAnswer)
  async find(@CurrentReader() reader: Reader, @Input(FindFeeds) { q }: In<typeof FindFeeds>) {
    const found = await this.suggestions.find(reader, q);
    return {
      suggestions: found.map((one) => ({
        ...one,
        title: titleOrHost(one.title, one.url),
        reason: shownSentence(one.reason),
      })),
      topics: this.suggestions.topics(),
    };
  }
}
