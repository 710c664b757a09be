import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { ReaderIds } from '../../reader/delivery/reader-ids.repository.js';
import type { ArticleExtras } from '../../feed-parser/items/extras.js';

@Injectable()
export class ExtrasRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: ReaderIds,
  ) {}

  /** By the primary keys of item and article. @returns null without extras; undefined without such an item */
  async find(userId: string, itemId: number): Promise<ArticleExtras | null | undefined> {
    const readerId = await this.ids.of(userId);
    if (readerId === null) {
      return undefined;
    }
    const [row] = await this.database.query<{ extras: ArticleExtras | null }>(
      `select article.extras
         from (select item.article_id
                 from item
                 join subscription s on s.reader_id = $1 and s.id = item.subscription_id
                where item.reader_id = $1 and item.id = $2 and s.deleted_at is null offset 0) item
         join article on article.id = item.article_id`,
      [readerId, itemId],
    );
    return row?.extras;
  }
}
