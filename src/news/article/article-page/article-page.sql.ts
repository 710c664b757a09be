import type { SqlRunner } from '../../../database/database.js';

/** What is known of the web page of an item. */
export interface ArticlePage {
  readonly url: string | null;
  /** Sanitised; null if it was not fetched, or has no more text than the feed. */
  readonly html: string | null;
}

/** An article of a user's item. */
export interface ArticleOfItem {
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

/** By the primary keys of article and body. */
export async function findArticlePage(
  runner: SqlRunner,
  { articleId, sourceIds }: ArticleOfItem,
): Promise<ArticlePage | undefined> {
  const [row] = await runner.query<ArticlePage>(
    `select article.url, body.full_text_html as html
       from article
       left join article_body body on body.source_id = article.source_id
                                  and body.article_id = article.id
      where article.source_id = any($1::bigint[]) and article.id = $2`,
    [sourceIds, articleId],
  );
  return row;
}
