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
  readerId: number,
  itemId: number,
): Promise<ArticlePage | undefined> {
  const [row] = await runner.query<ArticlePage>(
    `select article.url, body.full_text_html as html
       from (select item.article_id
               from item
               join subscription s on s.reader_id = $1 and s.id = item.subscription_id
              where item.reader_id = $1 and item.id = $2 and s.deleted_at is null offset 0) item
       join article on article.id = item.article_id
       left join article_body body on body.article_id = article.id`,
    [readerId, itemId],
  );
  return row;
}
