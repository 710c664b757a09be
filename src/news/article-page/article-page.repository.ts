import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { findArticleOfItem, findArticlePage, type ArticlePage } from './article-page.sql.js';

@Injectable()
export class ArticlePageRepository {
  constructor(private readonly database: Database) {}

  /** @returns undefined without such an item of the user */
  async find(userId: string, itemId: number): Promise<ArticlePage | undefined> {
    const article = await findArticleOfItem(this.database, userId, itemId);
    return article && findArticlePage(this.database, article);
  }
}
