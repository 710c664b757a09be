import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { ArticleExtras } from '../feed-parser/items/extras.js';
import { findExtras } from './extras.sql.js';

@Injectable()
export class ExtrasRepository {
  constructor(private readonly database: Database) {}

  /** @returns null without extras; undefined without such an item */
  async find(userId: string, itemId: number): Promise<ArticleExtras | null | undefined> {
    return findExtras(this.database, userId, itemId);
  }
}
