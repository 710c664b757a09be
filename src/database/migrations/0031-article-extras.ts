import { Migration } from '@mikro-orm/migrations';

/** Further files of articles, links to comments and chapters, and tags; most articles have few. */
export class Migration0031ArticleExtras extends Migration {
  override name = '0031-article-extras';

  override up(): void {
    this.addSql('alter table article add column extras jsonb');
  }
}
