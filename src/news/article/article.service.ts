import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { invalid, tooMany } from '../../common/errors/domain-error.js';
import { Allowances } from '../../common/ports/allowances.js';
import { HOUR_SECONDS } from '../../common/units.js';
import { NO_EXTRAS, type ArticleExtras } from '../feed-parser/items/extras.js';
import { ItemNotFound } from '../news.errors.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { FullTextService } from '../sources/full-text/full-text.service.js';
import { ArticleRepository } from './article.repository.js';

class NoArticlePage extends invalid('This article has no web page.') {}

/** The page could not be fetched, or has no article; the message is the reason. */
class ArticlePageUnreadable extends invalid() {}

class TooManyArticlePages extends tooMany(
  (most: number, retryAfterSeconds: number) =>
    `You had ${most} full texts fetched within an hour; try again in ${Math.ceil(retryAfterSeconds / 60)} min.`,
  (_most, retryAfterSeconds) => ({ retryAfterSeconds }),
) {}

/** Too many pages of the process, or of one host, are being read. */
class ArticlePagesBusy extends tooMany(
  'Too many web pages are being read. Try again in a moment.',
  { retryAfterSeconds: 10 },
) {}

/** Extras of an item, beyond its text in the feed. */
@Injectable()
export class ArticleService {
  constructor(
    private readonly config: Config,
    private readonly articles: ArticleRepository,
    private readonly pages: FullTextService,
    private readonly allowances: Allowances,
  ) {}

  /** Further files, links to comments and chapters, and tags. @throws ItemNotFound unless the item is this user's */
  async extras(
    reader: Reader,
    itemId: number,
  ): Promise<ArticleExtras & { readonly areTagsCut: boolean }> {
    const extras = await this.articles.extras(reader.id, itemId);
    if (extras === undefined) {
      throw new ItemNotFound(itemId);
    }
    return { areTagsCut: false, ...NO_EXTRAS, ...extras };
  }

  /**
   * Reads the page of an item, unless its text is stored. Nothing is stored, and no item changes.
   *
   * @returns sanitised HTML
   * @throws ItemNotFound unless the item is this user's
   * @throws NoArticlePage, ArticlePageUnreadable, TooManyArticlePages, ArticlePagesBusy
   */
  async fullText(reader: Reader, itemId: number): Promise<string> {
    const page = ItemNotFound.unless(await this.articles.page(reader.id, itemId), itemId);
    if (page.html !== null) {
      return page.html;
    }
    if (page.url === null || !/^https?:\/\//i.test(page.url) || !URL.canParse(page.url)) {
      throw new NoArticlePage();
    }
    await this.#count(reader);
    const fetched = await this.pages.readNow(page.url);
    if (fetched.outcome === 'busy') {
      throw new ArticlePagesBusy();
    }
    if (fetched.outcome === 'failed') {
      throw new ArticlePageUnreadable(fetched.message);
    }
    return fetched.article.html;
  }

  async #count(reader: Reader): Promise<void> {
    if (!this.config.rateLimits) {
      return;
    }
    const most = this.config.limits['full-texts-per-user-and-hour'];
    const allowance = { kind: 'full texts', most, periodSeconds: HOUR_SECONDS };
    const { granted, waitSeconds } = await this.allowances.take(reader.userId, allowance);
    if (granted === 0) {
      throw new TooManyArticlePages(most, waitSeconds);
    }
  }
}
