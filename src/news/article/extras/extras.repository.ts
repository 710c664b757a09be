import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { ReaderIds } from '../../reader/delivery/reader-ids.repository.js';
import type { ArticleExtras } from '../../feed-parser/items/extras.js';
import { findExtras } from './extras.sql.js';

@Injectable()
export class ExtrasRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: ReaderIds,
  ) {}

  /** @returns null without extras; undefined without such an item */
  async find(userId: string, itemId: number): Promise<ArticleExtras | null | undefined> {
    const readerId = await this.ids.of(userId);
    return readerId === null ? undefined : findExtras(this.database, readerId, itemId);
  }
}
