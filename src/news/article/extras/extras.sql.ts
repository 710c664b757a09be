import type { SqlRunner } from '../../../database/database.js';
import type { ArticleExtras } from '../../feed-parser/items/extras.js';

/** By the primary keys of item and article. @returns undefined without such an item of the user */
export async function findExtras(
  runner: SqlRunner,
  readerId: number,
  itemId: number,
): Promise<ArticleExtras | null | undefined> {
  const [row] = await runner.query<{ extras: ArticleExtras | null }>(
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
