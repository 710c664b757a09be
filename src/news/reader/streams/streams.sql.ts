import type { SqlRunner } from '../../../database/database.js';
import { NOT_MARKED_FOR_DELETION } from '../items/item-list.sql.js';
import type { ItemSet, StreamItem, StreamPage, StreamSelection } from './stream.js';

type Bind = (value: unknown) => string;

function inSet(set: ItemSet, bind: Bind): string {
  switch (set.of) {
    case 'all':
      return 'true';
    case 'read':
      return 'not item.unread';
    case 'unread':
      return 'item.unread';
    case 'starred':
      return 'item.starred';
    default:
      return `(item.subscription_id = any(${bind(set.feedIds)}::bigint[])
        or exists (select from item_label l where l.reader_id = item.reader_id
                      and l.item_id = item.id and l.label_id = ${bind(set.labelId)}::bigint))`;
  }
}

function conditionsOf(selection: StreamSelection, bind: Bind): string {
  const { within, without, fromMicros, toMicros } = selection;
  return [
    'item.reader_id = $1',
    NOT_MARKED_FOR_DELETION,
    ...within.map((set) => inSet(set, bind)),
    ...without.map((set) => `not (${inSet(set, bind)})`),
    ...(fromMicros === null ? [] : [`item.arrived_micros >= ${bind(fromMicros)}`]),
    ...(toMicros === null ? [] : [`item.arrived_micros <= ${bind(toMicros)}`]),
  ].join(' and ');
}

export async function listStreamIds(
  runner: SqlRunner,
  readerId: number,
  selection: StreamSelection,
  { oldestFirst, after, limit }: StreamPage,
): Promise<number[]> {
  const params: unknown[] = [readerId];
  const bind = (value: unknown) => `$${params.push(value)}`;
  const conditions = conditionsOf(selection, bind);
  const from = after === null ? '' : `and item.id ${oldestFirst ? '>' : '<'} ${bind(after)}`;
  const rows = await runner.query<{ id: number }>(
    `select item.id from item where ${conditions} ${from}
      order by item.id ${oldestFirst ? 'asc' : 'desc'} limit ${bind(limit)}`,
    params,
  );
  return rows.map(({ id }) => id);
}

export async function countStream(
  runner: SqlRunner,
  readerId: number,
  selection: StreamSelection,
): Promise<number> {
  const params: unknown[] = [readerId];
  const conditions = conditionsOf(selection, (value) => `$${params.push(value)}`);
  const [row] = await runner.query<{ count: number }>(
    `select count(*)::int as count from item where ${conditions}`,
    params,
  );
  return row?.count ?? 0;
}

export async function listStreamItems(
  runner: SqlRunner,
  readerId: number,
  itemIds: readonly number[],
  oldestFirst: boolean,
): Promise<StreamItem[]> {
  return runner.query<StreamItem>(
    `select item.id, item.subscription_id as "feedId", item.unread, item.starred,
            item.arrived_micros as "arrivedMicros", item.last_modified_micros as "lastModifiedMicros",
            article.title, article.url, article.author, article.pub_date_seconds as "pubDateSeconds",
            article.updated_date_seconds as "updatedDateSeconds", article.guid, article.rtl,
            coalesce(case when s.full_text then body.full_text_html end, body.html, '') as body,
            array(select label.name from item_label l join label on label.id = l.label_id
                   where l.reader_id = item.reader_id and l.item_id = item.id
                   order by label.name) as labels,
            '{}'::text[] as tags,
            case when article.enclosure_link is null then '[]'::jsonb
                 else jsonb_build_array(jsonb_build_object('url', article.enclosure_link,
                                                           'mime', coalesce(article.enclosure_mime, '')))
            end as enclosures
       from item
       join subscription s on s.id = item.subscription_id
       join article on article.id = item.article_id
       left join article_body body on body.article_id = article.id
      where item.reader_id = $1 and item.id = any($2::bigint[]) and ${NOT_MARKED_FOR_DELETION}
      order by item.id ${oldestFirst ? 'asc' : 'desc'}`,
    [readerId, itemIds],
  );
}

export async function listNewestArrivals(
  runner: SqlRunner,
  readerId: number,
): Promise<{ feedId: number; arrivedMicros: number }[]> {
  return runner.query(
    `select subscription_id as "feedId", max(arrived_micros) as "arrivedMicros"
       from item where reader_id = $1 group by subscription_id`,
    [readerId],
  );
}
