import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { ReaderIds } from '../../reader/delivery/reader-ids.repository.js';
import { findArticleOfItem, findArticlePage, type ArticlePage } from './article-page.sql.js';

@Injectable()
export class ArticlePageRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: ReaderIds,
  ) {}

  /** @returns undefined without such an item of the user */
  async find(userId: string, itemId: number): Promise<ArticlePage | undefined> {
    const readerId = await this.ids.of(userId);
    const article =
      readerId === null ? undefined : await findArticleOfItem(this.database, readerId, itemId);
    return article && findArticlePage(this.database, article);
  }
}
