import type { SqlRunner } from '../../../database/database.js';

/** An article of a user's item. */
interface ArticleOfItem {
  readonly articleId: number;
  /** Of its feed, now and before its address was changed: one of them has the article. */
  readonly sourceIds: readonly number[];
  /** Whether the feed shows full texts. */
  readonly wantsFullText: boolean;
}

/** By the primary key of the item. @returns undefined without such an item of the user */
export async function findArticleOfItem(
  runner: SqlRunner,
  readerId: number,
  itemId: number,
): Promise<ArticleOfItem | undefined> {
  const [row] = await runner.query<ArticleOfItem & { sourceIds: readonly string[] }>(
    `select item.article_id as "articleId", s.full_text as "wantsFullText",
            s.source_id || array(select former.source_id from former_source former
                                  where former.reader_id = $1
                                    and former.subscription_id = s.id) as "sourceIds"
       from item
       join subscription s on s.reader_id = $1 and s.id = item.subscription_id
                          and s.deleted_at is null
      where item.reader_id = $1 and item.id = $2`,
    [readerId, itemId],
  );
  return row && { ...row, sourceIds: row.sourceIds.map(Number) };
}
