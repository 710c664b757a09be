import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Config } from '../../common/config/config.js';
import { FixedWindowCounts } from '../../common/fixed-window-counts.js';
import { FullTextService } from '../full-text/full-text.service.js';
import { ItemNotFound } from '../news.errors.js';
import {
  ArticlePagesBusy,
  ArticlePageUnreadable,
  NoArticlePage,
  TooManyArticlePages,
} from './article-page.errors.js';
import { ArticlePageRepository } from './article-page.repository.js';

/** The full text of one article, for a user who asks for it. Nothing is stored, and no item changes. */
@Injectable()
export class ArticlePageService {
  readonly #fetches: FixedWindowCounts;

  constructor(
    private readonly config: Config,
    private readonly pages: ArticlePageRepository,
    private readonly fullText: FullTextService,
    clock: Clock,
  ) {
    this.#fetches = new FixedWindowCounts(clock);
  }

  /**
   * Reads the page of an item, unless its text is stored.
   *
   * @returns sanitised HTML
   * @throws ItemNotFound unless the item is this user's
   * @throws NoArticlePage, ArticlePageUnreadable, TooManyArticlePages, ArticlePagesBusy
   */
  async read(userId: string, itemId: number): Promise<string> {
    const page = await this.pages.find(userId, itemId);
    if (page === undefined) {
      throw new ItemNotFound(itemId);
    }
    if (page.html !== null) {
      return page.html;
    }
    if (page.url === null || !/^https?:\/\//i.test(page.url) || !URL.canParse(page.url)) {
      throw new NoArticlePage();
    }
    this.#count(userId);
    const fetched = await this.fullText.readNow(page.url);
    if (fetched.outcome === 'busy') {
      throw new ArticlePagesBusy();
    }
    if (fetched.outcome === 'failed') {
      throw new ArticlePageUnreadable(fetched.message);
    }
    return fetched.article.html;
  }

  #count(userId: string): void {
    if (!this.config.rateLimitsEnabled) {
      return;
    }
    const most = this.config.limits['full-texts-per-user-and-hour'];
    const waitSeconds = this.#fetches.add(userId, most);
    if (waitSeconds !== null) {
      throw new TooManyArticlePages(most, waitSeconds);
    }
  }
}
