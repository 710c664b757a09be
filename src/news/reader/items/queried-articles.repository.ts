import { Injectable } from '@nestjs/common';
import { Turns } from '../../../common/turns.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
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
    readonly highlighted: boolean;
    readonly publishedSeconds: number;
    readonly arrivedSeconds: number;
    readonly contentKey: string;
    readonly duplicate: boolean;
  };

const ROW = `${ITEM}, item.folder_id as "folderId", item.label_ids as "labelIds", item.highlighted,
  item.duplicate_of is not null as duplicate,
  item.date_seconds as "publishedSeconds", item.arrived_micros / 1000000 as "arrivedSeconds",
  concat_ws('.', article.id, article.rev,
            case when item.shows_full_text then article.full_text_rev end) as "contentKey",
  ${QUERIED_COLUMNS}`;

/** Items of a user, with what queries ask of them; the reader is `$1`, the ids are `$2`. */
const PICKED = `
  select item.*, (select s.folder_id from subscription s
                   where s.reader_id = $1 and s.id = item.subscription_id) as folder_id,
         (select coalesce(json_agg(item_label.label_id), '[]') from item_label
           where item_label.reader_id = $1 and item_label.item_id = item.id) as label_ids,
         exists (select 1 from item_mark mark where mark.reader_id = $1 and mark.item_id = item.id
                    and mark.highlighted) as highlighted
    from item where item.reader_id = $1
     and item.id in (select unnest($2::bigint[]) limit cardinality($2::bigint[]))`;

const READ = prepared('queried-articles', withContents(PICKED, 'asc', ROW));
const READ_TEXTS = prepared('queried-texts', withContents(PICKED, 'asc', 'item.id, article.html'));

/** A statement of its own: articles may be on other servers. */
const READ_ANSWERS = `
  select article_id as "articleId",
         jsonb_object_agg(languages, result->>'text' = 'yes') as answers
    from article_assistance
   where article_id = any($1::bigint[]) and kind = 'answer' and state = 'done'
   group by article_id`;

/** Whether apps answered yes, by `answerKey`. */
type Answers = Readonly<Record<string, boolean>>;

const ITEMS_PER_READ = 500;
/** Few enough that their bodies take little memory. */
const TEXTS_PER_READ = 50;

/** Thrown to the query of an article whose text, or answers of apps, were not read. */
class NotRead extends Error {}

const notRead = (): never => {
  throw new NotRead();
};

const UNREAD = { text: notRead, answerTo: notRead };

type Ask<Answer> = (article: QueriedArticle, item: QueriedItem) => Answer | Promise<Answer>;

/** Articles as users see them, for queries: the only way to make a `QueriedArticle` of an item. */
@Injectable()
export class QueriedArticlesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Asks about items. Reads the bodies and the answers of apps only of those whose `text` or `answerTo` is asked
   * for, for which `ask` is called a second time: it must have no effects, and let errors of these pass. In
   * turns with everything else.
   *
   * @param ask pure
   * @param isOver called before each item; true ends early
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
        if (isOver()) {
          return answers;
        }
        await turns.take();
        try {
          answers.set(row.id, await answer(row, UNREAD, ask));
        } catch (error) {
          if (!(error instanceof NotRead)) {
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
        let answersOf: ReadonlyMap<number, Answers> | null = null;
        for (const row of rows) {
          if (isOver()) {
            return answers;
          }
          await turns.take();
          let text: string | undefined;
          const read = {
            text: () => (text ??= queriedText(html.get(row.id) ?? '')),
            answerTo: (question: string) =>
              answersOf === null
                ? notRead()
                : (answersOf.get(row.articleId)?.[answerKey(question)] ?? null),
          };
          try {
            answers.set(row.id, await answer(row, read, ask));
          } catch (error) {
            if (!(error instanceof NotRead)) {
              throw error;
            }
            answersOf = await readAnswers(rows, tx);
            answers.set(row.id, await answer(row, read, ask));
          }
        }
      }
    }
    return answers;
  }
}

async function readAnswers(
  rows: readonly Row[],
  tx: SqlRunner,
): Promise<ReadonlyMap<number, Answers>> {
  const found = await tx.query<{ articleId: number; answers: Answers }>(READ_ANSWERS, [
    rows.map(({ articleId }) => articleId),
  ]);
  return new Map(found.map((one) => [one.articleId, one.answers]));
}

function answer<Answer>(
  row: Row,
  { text, answerTo }: Pick<QueriedArticle, 'text' | 'answerTo'>,
  ask: Ask<Answer>,
): Answer | Promise<Answer> {
  const { id: itemId, subscriptionId, articleId, contentKey } = row;
  const article = { ...toQueriedArticle(row, { ...row, feedId: subscriptionId }, text), answerTo };
  return ask(article, { itemId, subscriptionId, articleId, contentKey });
}
