import type { SqlRunner } from '../../database/database.js';

/** What is known of the web page of an item. */
export interface ArticlePage {
  readonly url: string | null;
  /** Sanitised; null if it was not fetched, or has no more text than the feed. */
  readonly html: string | null;
}

/** By the primary keys of item and article. @returns undefined without such an item of the user */
export async function findArticlePage(
  runner: SqlRunner,
  userId: string,
  itemId: number,
): Promise<ArticlePage | undefined> {
  const [row] = await runner.query<ArticlePage>(
    `select article.url, body.full_text_html as html
       from reader
       join item on item.reader_id = reader.id and item.id = $2
       join subscription s on s.id = item.subscription_id and s.deleted_at is null
       join article on article.id = item.article_id
       left join article_body body on body.article_id = article.id
      where reader.user_id = $1`,
    [userId, itemId],
  );
  return row;
}
