import { Migration } from '@mikro-orm/migrations';

/** See docs/decisions/0032-first-fetch-and-size.md. */
export class Migration0026Ingest extends Migration {
  override name = '0026-ingest';

  override up(): void {
    this.addSql(`
      -- Null while nobody who follows the source searches. The first search of a follower fills the
      -- index, so the one of former versions is not kept.
      truncate article_search;
      alter table source alter column search_rev drop not null, alter column search_rev drop default;
      update source set search_rev = null;

      -- Compresses as well as the default for a third of the processor time. Not every server has it;
      -- stored bodies stay as they are.
      do $do$ begin
        alter table article_body alter column html set compression lz4,
                                 alter column full_text_html set compression lz4;
      exception when feature_not_supported then null;
      end $do$;
    `);
  }
}
