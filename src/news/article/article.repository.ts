import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';
import type { ArticleExtras } from '../feed-parser/items/extras.js';

/** An article of a user's item. */
interface ArticleOfItem {
  readonly articleId: number;
  /** The feed's sources, before and after its address was changed: one of them has the article. */
  readonly sourceIds: readonly number[];
  /** Whether the feed shows full texts. */
  readonly wantsFullText: boolean;
}

/** Reads by the primary key of the item. @returns undefined without such an item of the user */
export async function findArticleOfItem(
  readerId: number,
  itemId: number,
  runner: SqlRunner,
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

/** Stored information about the web page of an item. */
interface ArticlePage {
  readonly url: string | null;
  /** Sanitised; null if it was not fetched, or has no more text than the feed. */
  readonly html: string | null;
}

/** The articles of users' items. */
@Injectable()
export class ArticleRepository {
  constructor(private readonly database: Database) {}

  /** Reads by primary keys. @returns undefined without such an item of the user */
  async page(readerId: number, itemId: number): Promise<ArticlePage | undefined> {
    const article = await findArticleOfItem(readerId, itemId, this.database);
    if (article === undefined) {
      return undefined;
    }
    const [row] = await this.database.query<ArticlePage>(
      `select article.url, body.full_text_html as html
         from article
         left join article_body body on body.source_id = article.source_id
                                    and body.article_id = article.id
        where article.source_id = any($1::bigint[]) and article.id = $2`,
      [article.sourceIds, article.articleId],
    );
    return row;
  }

  /** Reads by primary keys. @returns null without extras; undefined without such an item */
  async extras(readerId: number, itemId: number): Promise<ArticleExtras | null | undefined> {
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
