import { Injectable } from '@nestjs/common';
import { invalid } from '../../common/errors/domain-error.js';
import { NO_EXTRAS, type ArticleExtras } from '../feed-parser/items/extras.js';
import { ItemNotFound } from '../news.errors.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { PageReadings, PagesBusy } from '../sources/full-text/page-readings.service.js';
import { ArticleRepository } from './article.repository.js';

class NoArticlePage extends invalid('This article has no web page.') {}

/** The page could not be fetched, or has no article; the message is the reason. */
class ArticlePageUnreadable extends invalid() {}

/** Extras of an item, beyond its text in the feed. */
@Injectable()
export class ArticleService {
  constructor(
    private readonly articles: ArticleRepository,
    private readonly readings: PageReadings,
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
   * @throws NoArticlePage, ArticlePageUnreadable, TooManyPages, PagesBusy
   */
  async fullText(reader: Reader, itemId: number): Promise<string> {
    const page = ItemNotFound.unless(await this.articles.page(reader.id, itemId), itemId);
    if (page.html !== null) {
      return page.html;
    }
    if (page.url === null || !/^https?:\/\//i.test(page.url) || !URL.canParse(page.url)) {
      throw new NoArticlePage();
    }
    const seen = await this.readings.read(reader.userId, page.url);
    if ('problem' in seen) {
      throw seen.isResting ? new PagesBusy() : new ArticlePageUnreadable(seen.problem);
    }
    if (seen.article === null) {
      throw new ArticlePageUnreadable(seen.failure?.message ?? '');
    }
    return seen.article.html;
  }
}
