import type { SqlRunner } from '../../database/database.js';
import type { ArticleExtras } from '../feed-parser/items/extras.js';

/** By the primary keys of item and article. @returns undefined without such an item of the user */
export async function findExtras(
  runner: SqlRunner,
  userId: string,
  itemId: number,
): Promise<ArticleExtras | null | undefined> {
  const [row] = await runner.query<{ extras: ArticleExtras | null }>(
    `select article.extras
       from reader
       join item on item.reader_id = reader.id and item.id = $2
       join subscription s on s.id = item.subscription_id and s.deleted_at is null
       join article on article.id = item.article_id
      where reader.user_id = $1`,
    [userId, itemId],
  );
  return row?.extras;
}
