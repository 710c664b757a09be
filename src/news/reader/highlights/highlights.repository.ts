import { Injectable } from '@nestjs/common';
import { countUpTo } from '../../../database/count-up-to.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { ArticleEntity } from '../../tables/article.entity.js';
import { NOT_MARKED_FOR_DELETION } from '../items/item-list.sql.js';
import { ItemHighlightEntity } from './highlight.entity.js';

const COLUMNS = `${selectList(ItemHighlightEntity, 'highlight', [
  'id',
  'itemId',
  'exact',
  'prefix',
  'suffix',
  'position',
  'colour',
  'note',
])}, extract(epoch from highlight.created_at)::bigint as "createdSeconds",
     extract(epoch from highlight.changed_at)::bigint as "changedSeconds"`;

/** A highlight, or the note of an item. Times are unix seconds. */
export type Highlight = Readonly<
  Pick<
    ItemHighlightEntity,
    'id' | 'itemId' | 'exact' | 'prefix' | 'suffix' | 'position' | 'colour' | 'note'
  >
> & { readonly createdSeconds: number; readonly changedSeconds: number };

export type NewHighlight = Omit<Highlight, 'id' | 'createdSeconds' | 'changedSeconds'>;

const ARTICLE = selectList(ArticleEntity, 'article', ['title', 'url', 'author']);

export type ListedHighlight = Highlight &
  RowOf<typeof ARTICLE> & { readonly feedId: number; readonly pubDate: number };

/** Newest first; or by article, newest first, in the order of its text. */
export type HighlightOrder = 'newest' | 'article';

type OfItem = Highlight & {
  readonly feedId: number;
  readonly articleId: number;
  readonly pubDate: number;
};

/** Exclusive; a list of the newest looks at the id alone. */
export type HighlightPlace = Pick<Highlight, 'id' | 'itemId' | 'position'>;

/** Conditions, with the place in `$3`, `$4` and `$5`. */
const ORDERS: Readonly<Record<HighlightOrder, { readonly after: string; readonly by: string }>> = {
  newest: { after: '$3::bigint is null or highlight.id < $3', by: 'highlight.id desc' },
  article: {
    after: `$3::bigint is null or (highlight.item_id <= $4::bigint and (highlight.item_id < $4
             or (highlight.position, highlight.id) > ($5::int, $3)))`,
    by: 'highlight.item_id desc, highlight.position, highlight.id',
  },
};

/** A user's highlights and notes. Those of removed items are not shown. */
@Injectable()
export class HighlightsRepository {
  constructor(private readonly database: Database) {}

  async hasItem(readerId: number, itemId: number, tx: SqlRunner = this.database): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from item where reader_id = $1 and id = $2 and ${NOT_MARKED_FOR_DELETION}`,
      [readerId, itemId],
    );
    return rows.length > 0;
  }

  /** In the order of the text; the note of the item first. */
  async ofItem(
    readerId: number,
    itemId: number,
    tx: SqlRunner = this.database,
  ): Promise<Highlight[]> {
    return tx.query<Highlight>(
      `select ${COLUMNS} from item_highlight highlight where reader_id = $1 and item_id = $2
        order by position, id`,
      [readerId, itemId],
    );
  }

  /** @returns null unless the reader has it, on an item that is there */
  async one(readerId: number, id: number, tx: SqlRunner): Promise<Highlight | null> {
    const [highlight] = await tx.query<Highlight>(
      `select ${COLUMNS} from item_highlight highlight
         join item on item.reader_id = $1 and item.id = highlight.item_id
        where highlight.reader_id = $1 and highlight.id = $2 and ${NOT_MARKED_FOR_DELETION}`,
      [readerId, id],
    );
    return highlight ?? null;
  }

  /** @param after null starts from the beginning */
  async page(
    readerId: number,
    order: HighlightOrder,
    after: HighlightPlace | null,
    limit: number,
  ): Promise<ListedHighlight[]> {
    const place = [after?.id ?? null, after?.itemId ?? null, after?.position ?? null];
    const rows = await this.database.query<OfItem>(
      `select ${COLUMNS}, item.subscription_id as "feedId", item.article_id as "articleId",
              item.date_seconds as "pubDate"
         from item_highlight highlight
         join item on item.reader_id = $1 and item.id = highlight.item_id
        where highlight.reader_id = $1 and ${NOT_MARKED_FOR_DELETION} and (${ORDERS[order].after})
        order by ${ORDERS[order].by} limit $2`,
      [readerId, limit, ...place.slice(0, order === 'newest' ? 1 : 3)],
    );
    // A statement of its own: articles may be on another server.
    const articles = await this.database.query<RowOf<typeof ARTICLE> & { id: number }>(
      `select id, ${ARTICLE} from article where id = any($1::bigint[])`,
      [rows.map(({ articleId }) => articleId)],
    );
    const byId = new Map(articles.map((article) => [article.id, article]));
    return rows.map(({ articleId, ...row }) => {
      const { title = null, url = null, author = null } = byId.get(articleId) ?? {};
      return { ...row, title, url, author };
    });
  }

  /** Counts no further than `most`. @param itemId of one item; null for all */
  async count(
    readerId: number,
    itemId: number | null,
    most: number,
    tx: SqlRunner,
  ): Promise<number> {
    return countUpTo(
      tx,
      'item_highlight where reader_id = $1 and ($2::bigint is null or item_id = $2)',
      [readerId, itemId],
      most,
    );
  }

  /** @returns the id of the highlight of the same words, or of the note of the item; null without one */
  async same(
    readerId: number,
    { itemId, exact, prefix, suffix, position }: NewHighlight,
    tx: SqlRunner,
  ): Promise<number | null> {
    const [same] = await tx.query<{ id: number }>(
      `select id from item_highlight
        where reader_id = $1 and item_id = $2 and (exact, prefix, suffix, position) = ($3, $4, $5, $6)`,
      [readerId, itemId, exact, prefix, suffix, position],
    );
    return same?.id ?? null;
  }

  /** @returns its id */
  async create(readerId: number, highlight: NewHighlight, tx: SqlRunner): Promise<number> {
    const [id = 0] = await this.createMany(readerId, [highlight], tx);
    return id;
  }

  /** @returns their ids, rising */
  async createMany(
    readerId: number,
    highlights: readonly NewHighlight[],
    tx: SqlRunner,
  ): Promise<number[]> {
    if (highlights.length === 0) {
      return [];
    }
    const itemIds = highlights.map(({ itemId }) => itemId);
    await tx.query(
      `insert into item_mark (reader_id, item_id, highlighted)
       select distinct $1::bigint, unnest($2::bigint[]), true
       on conflict (reader_id, item_id) do update set highlighted = true`,
      [readerId, itemIds],
    );
    const rows = await tx.query<{ id: number }>(
      `insert into item_highlight (reader_id, item_id, exact, prefix, suffix, position, colour, note)
       select $1, item_id, exact, prefix, suffix, position, colour, note
         from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::text[], $8::text[])
              with ordinality as given (item_id, exact, prefix, suffix, position, colour, note, place)
        order by place returning id`,
      [
        readerId,
        itemIds,
        highlights.map(({ exact }) => exact),
        highlights.map(({ prefix }) => prefix),
        highlights.map(({ suffix }) => suffix),
        highlights.map(({ position }) => position),
        highlights.map(({ colour }) => colour),
        highlights.map(({ note }) => note),
      ],
    );
    return rows.map(({ id }) => id);
  }

  /** Removes those that were not changed since they were made. */
  async removeUnchanged(readerId: number, ids: readonly number[], tx: SqlRunner): Promise<void> {
    const removed = await tx.query<{ itemId: number }>(
      `delete from item_highlight
        where reader_id = $1 and id = any($2::bigint[]) and changed_at = created_at
       returning item_id as "itemId"`,
      [readerId, ids],
    );
    await this.#unmark(
      readerId,
      removed.map(({ itemId }) => itemId),
      tx,
    );
  }

  async change(
    readerId: number,
    { id, colour, note }: Pick<Highlight, 'id' | 'colour' | 'note'>,
    tx: SqlRunner,
  ): Promise<void> {
    await tx.query(
      `update item_highlight set colour = $3, note = $4, changed_at = now()
        where reader_id = $1 and id = $2`,
      [readerId, id, colour, note],
    );
  }

  async remove(
    readerId: number,
    { id, itemId }: Pick<Highlight, 'id' | 'itemId'>,
    tx: SqlRunner,
  ): Promise<void> {
    await tx.query('delete from item_highlight where reader_id = $1 and id = $2', [readerId, id]);
    await this.#unmark(readerId, [itemId], tx);
  }

  /** Of these items, those that have no highlight any more. */
  async #unmark(readerId: number, itemIds: readonly number[], tx: SqlRunner): Promise<void> {
    await tx.query(
      `update item_mark mark set highlighted = false
        where reader_id = $1 and item_id = any($2::bigint[])
          and not exists (select 1 from item_highlight highlight
                           where highlight.reader_id = $1 and highlight.item_id = mark.item_id)`,
      [readerId, itemIds],
    );
  }

  /** Removes those of items that are gone. */
  async removeOrphans(): Promise<void> {
    await this.database.query(
      `delete from item_highlight where not exists (
         select 1 from item
          where item.reader_id = item_highlight.reader_id and item.id = item_highlight.item_id)`,
    );
  }
}
