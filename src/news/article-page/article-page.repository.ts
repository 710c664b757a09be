import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { findArticlePage, type ArticlePage } from './article-page.sql.js';

@Injectable()
export class ArticlePageRepository {
  constructor(private readonly database: Database) {}

  /** @returns undefined without such an item of the user */
  async find(userId: string, itemId: number): Promise<ArticlePage | undefined> {
    return findArticlePage(this.database, userId, itemId);
  }
}
