import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { ReaderIds } from '../../reader/delivery/reader-ids.repository.js';
import { findArticleOfItem } from './article-page.sql.js';

/** What is known of the web page of an item. */
interface ArticlePage {
  readonly url: string | null;
  /** Sanitised; null if it was not fetched, or has no more text than the feed. */
  readonly html: string | null;
}

@Injectable()
export class ArticlePageRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: ReaderIds,
  ) {}

  /** By the primary keys of item, article and body. @returns undefined without such an item of the user */
  async find(userId: string, itemId: number): Promise<ArticlePage | undefined> {
    const readerId = await this.ids.of(userId);
    const article =
      readerId === null ? undefined : await findArticleOfItem(this.database, readerId, itemId);
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
}
