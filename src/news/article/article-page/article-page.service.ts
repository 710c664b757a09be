import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Allowances } from '../../../common/ports/allowances.js';
import { FullTextService } from '../../sources/full-text/full-text.service.js';
import { ItemNotFound } from '../../news.errors.js';
import {
  ArticlePagesBusy,
  ArticlePageUnreadable,
  NoArticlePage,
  TooManyArticlePages,
} from './article-page.errors.js';
import { ArticlePageRepository } from './article-page.repository.js';

const HOUR_SECONDS = 3600;

/** The full text of one article, for a user who asks for it. Nothing is stored, and no item changes. */
@Injectable()
export class ArticlePageService {
  constructor(
    private readonly config: Config,
    private readonly pages: ArticlePageRepository,
    private readonly fullText: FullTextService,
    private readonly allowances: Allowances,
  ) {}

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
    await this.#count(userId);
    const fetched = await this.fullText.readNow(page.url);
    if (fetched.outcome === 'busy') {
      throw new ArticlePagesBusy();
    }
    if (fetched.outcome === 'failed') {
      throw new ArticlePageUnreadable(fetched.message);
    }
    return fetched.article.html;
  }

  async #count(userId: string): Promise<void> {
    if (!this.config.rateLimitsEnabled) {
      return;
    }
    const most = this.config.limits['full-texts-per-user-and-hour'];
    const allowance = { kind: 'full texts', most, periodSeconds: HOUR_SECONDS };
    const { granted, waitSeconds } = await this.allowances.take(userId, allowance);
    if (granted === 0) {
      throw new TooManyArticlePages(most, waitSeconds);
    }
  }
}
