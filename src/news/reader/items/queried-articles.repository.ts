import { Injectable } from '@nestjs/common';
import { Turns } from '../../../common/turns.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import type { QueriedArticle } from '../../query/query.js';
import { ItemEntity } from '../../tables/item.entity.js';
import { answerKey } from '../delivery/questions.js';
import { withContents } from './item-list.sql.js';
import { QUERIED_COLUMNS, queriedText, toQueriedArticle } from './queried-article.js';

const ITEM = selectList(ItemEntity, 'item', [
  'id',
  'subscriptionId',
  'articleId',
  'unread',
  'starred',
  'filtered',
]);

/** An item that a query asks about. */
export interface QueriedItem {
  readonly itemId: number;
  readonly subscriptionId: number;
  readonly articleId: number;
  /** Equal for equal contents of the article as this user sees it; text, dates of items and states do not count. */
  readonly contentKey: string;
}

type Row = RowOf<typeof ITEM> &
  RowOf<typeof QUERIED_COLUMNS> & {
    readonly folderId: number | null;
    readonly labelIds: readonly number[];
    readonly publishedSeconds: number;
    readonly arrivedSeconds: number;
    readonly contentKey: string;
    /** Whether apps answered yes, by `answerKey`; null without any answer. */
    readonly answers: Readonly<Record<string, boolean>> | null;
  };

const ROW = `${ITEM}, item.folder_id as "folderId", item.label_ids as "labelIds",
  item.date_seconds as "publishedSeconds", item.arrived_micros / 1000000 as "arrivedSeconds",
  concat_ws('.', article.id, article.rev,
            case when item.shows_full_text then article.full_text_rev end) as "contentKey",
  ${QUERIED_COLUMNS},
  case when (select exists (select from article_assistance where kind = 'answer')) then (
    select jsonb_object_agg(request.languages, request.result->>'text' = 'yes')
      from article_assistance request
     where request.article_id = article.id and request.kind = 'answer' and request.state = 'done') end as answers`;

/** Items of a user, with what queries ask of them; the reader is `$1`, the ids are `$2`. */
const PICKED = `
  select item.*, (select s.folder_id from subscription s
                   where s.reader_id = $1 and s.id = item.subscription_id) as folder_id,
         (select coalesce(json_agg(item_label.label_id), '[]') from item_label
           where item_label.reader_id = $1 and item_label.item_id = item.id) as label_ids
    from item where item.reader_id = $1 and item.id = any($2::bigint[])`;

const READ = withContents(PICKED, 'asc', ROW);
const READ_TEXTS = withContents(PICKED, 'asc', 'item.id, article.html');

const ITEMS_PER_READ = 500;
/** Few enough that their bodies take little memory. */
const TEXTS_PER_READ = 50;

/** Thrown to the query of an article whose text was not read. */
class TextNotRead extends Error {}

const notRead = (): never => {
  throw new TextNotRead();
};

type Ask<Answer> = (article: QueriedArticle, item: QueriedItem) => Answer | Promise<Answer>;

/** Articles as users see them, for queries: the only way to make a `QueriedArticle` of an item. */
@Injectable()
export class QueriedArticlesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Asks about items. Reads the bodies only of those whose `text` is asked for, for which `ask` is called a
   * second time: it must have no effects, and let errors of `text` pass. In turns with everything else.
   *
   * @param ask pure
   * @param isOver called before each batch; true ends early
   * @returns answers by item id; none for unknown items
   */
  async ask<Answer>(
    readerId: number,
    itemIds: readonly number[],
    ask: Ask<Answer>,
    tx: SqlRunner = this.database,
    isOver: () => boolean = () => false,
  ): Promise<Map<number, Answer>> {
    const answers = new Map<number, Answer>();
    const turns = new Turns();
    for (let from = 0; from < itemIds.length && !isOver(); from += ITEMS_PER_READ) {
      const some = itemIds.slice(from, from + ITEMS_PER_READ);
      const waiting: Row[] = [];
      for (const row of await tx.query<Row>(READ, [readerId, some])) {
        await turns.take();
        try {
          answers.set(row.id, await answer(row, notRead, ask));
        } catch (error) {
          if (!(error instanceof TextNotRead)) {
            throw error;
          }
          waiting.push(row);
        }
      }
      for (let at = 0; at < waiting.length && !isOver(); at += TEXTS_PER_READ) {
        const rows = waiting.slice(at, at + TEXTS_PER_READ);
        const texts = await tx.query<{ id: number; html: string | null }>(READ_TEXTS, [
          readerId,
          rows.map(({ id }) => id),
        ]);
        const html = new Map(texts.map((one) => [one.id, one.html]));
        for (const row of rows) {
          await turns.take();
          let text: string | undefined;
          const read = () => (text ??= queriedText(html.get(row.id) ?? ''));
          answers.set(row.id, await answer(row, read, ask));
        }
      }
    }
    return answers;
  }
}

function answer<Answer>(row: Row, text: () => string, ask: Ask<Answer>): Answer | Promise<Answer> {
  const { id: itemId, subscriptionId, articleId, contentKey } = row;
  const article = {
    ...toQueriedArticle(row, { ...row, feedId: subscriptionId }, text),
    answerTo: (question: string) => row.answers?.[answerKey(question)] ?? null,
  };
  return ask(article, { itemId, subscriptionId, articleId, contentKey });
}
