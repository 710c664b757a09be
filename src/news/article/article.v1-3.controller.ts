import { z } from 'zod';
import { ApiPost, Get } from '../../common/contracts/routes.js';
import { ConcurrencyLimit } from '../../common/http/concurrency-limit.decorator.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { NewsController, V1_3 } from '../http/levels.guard.js';
import { ItemPath } from '../parameters.js';
import { CurrentReader } from '../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { ArticleService } from './article.service.js';
import { ChaptersService } from './chapters.service.js';

const ExtrasAnswer = z.object({
  extras: z.object({
    media: z.array(
      z.object({
        url: z.string(),
        mime: z.string().nullable(),
        kind: z.enum(['audio', 'video', 'image', 'other']),
        title: z.string().nullable(),
        length: z.int().nullable(),
        thumbnail: z.string().nullable(),
      }),
    ),
    comments: z.string().nullable(),
    chapters: z.string().nullable(),
    durationSeconds: z.int().nullable(),
    tags: z.array(z.string()),
    areTagsCut: z.boolean(),
  }),
});

const ChaptersAnswer = z.object({
  chapters: z.array(
    z.object({ startSeconds: z.number(), title: z.string(), url: z.string().nullable() }),
  ),
});

/** Sanitized HTML. */
const FullTextAnswer = z.object({ body: z.string() });

/**
 * Extras of an item, beyond its text in the feed: extensions of the reference API.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(V1_3, 'items/:itemId')
export class ArticleV13Controller {
  constructor(
    private readonly articles: ArticleService,
    private readonly chapters: ChaptersService,
  ) {}

  @Get('extras', 'Shows further files, comments, chapters and tags of an item.', ExtrasAnswer)
  async showExtras(
    @CurrentReader() reader: Reader,
    @Input(ItemPath) { itemId }: In<typeof ItemPath>,
  ) {
    return { extras: await this.articles.extras(reader, itemId) };
  }

  @Get('chapters', 'Lists the chapters of a recording.', ChaptersAnswer)
  @ConcurrencyLimit('lists of chapters')
  async listChapters(
    @CurrentReader() reader: Reader,
    @Input(ItemPath) { itemId }: In<typeof ItemPath>,
  ) {
    return { chapters: await this.chapters.find(reader, itemId) };
  }

  @ApiPost('full-text', 'Fetches the full text of an article.', FullTextAnswer)
  @ConcurrencyLimit('full texts')
  async fullText(
    @CurrentReader() reader: Reader,
    @Input(ItemPath) { itemId }: In<typeof ItemPath>,
  ) {
    return { body: await this.articles.fullText(reader, itemId) };
  }
}
