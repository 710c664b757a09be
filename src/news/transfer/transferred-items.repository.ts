import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import { GIVEN_TO_BOARD } from '../board-body.js';
import { SubscriptionEntity } from '../tables/subscription.entity.js';

const SETTINGS = selectList(SubscriptionEntity, 's', [
  'ordering',
  'pinned',
  'fullText',
  'updateMode',
  'fetchEveryHours',
]);

/** A feed of a user, as articles in files name it. */
export type TransferredFeed = RowOf<typeof SETTINGS> & {
  readonly id: number;
  /** The address as the user has it, credentials included. */
  readonly url: string;
  readonly title: string;
  /** Null follows the publisher's. */
  readonly ownTitle: string | null;
  readonly link: string | null;
  readonly folder: string | null;
  /** Whether its items are added to it instead of being fetched. */
  readonly isGiven: boolean;
};

/** Items in the file of their kind; each is in one at most. */
export type ItemFile = 'starred' | 'labelled' | 'saved';

/** What a user reads and has read of an item. */
interface StateRow {
  readonly id: number;
  readonly feedId: number;
  readonly articleId: number;
  readonly unread: boolean;
}

interface HighlightRow {
  readonly id: number;
  readonly feedId: number;
  readonly articleId: number;
  readonly exact: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly position: number;
  readonly colour: string;
  readonly note: string | null;
  readonly created: number;
}

/** With the identity that its publisher gave the article. */
export type Identified<Row> = Omit<Row, 'articleId'> & { readonly guid: string };

const ROWS_AT_ONCE = 1000;
/** Their bodies are read together. */
const IDS_AT_ONCE = 200;

const HAS_LABEL = `exists (select 1 from item_label
  where item_label.reader_id = $1 and item_label.item_id = item.id)`;

/** Feeds that are fetched are `$4`, those of added items `$5`, without the boards of groups. */
const FILES: Readonly<Record<ItemFile, string>> = {
  starred: 'item.starred and item.subscription_id = any($4::bigint[])',
  labelled: `not item.starred and item.subscription_id = any($4::bigint[]) and ${HAS_LABEL}`,
  saved: `(item.subscription_id = any($5::bigint[])
           or (item.subscription_id = any($4::bigint[]) and not item.starred and not ${HAS_LABEL} and exists (
                 select 1 from item_mark mark where mark.reader_id = $1 and mark.item_id = item.id
                    and (mark.retained or mark.highlighted))))`,
};

/** What of a user's items goes into the archive of their account. */
@Injectable()
export class TransferredItemsRepository {
  constructor(private readonly database: Database) {}

  async feeds(readerId: number): Promise<TransferredFeed[]> {
    return this.database.query<TransferredFeed>(
      `select s.id, s.url, coalesce(s.title, source.title) as title, source.link,
              folder.name as folder, s.title as "ownTitle",
              source.given_to is not null as "isGiven", ${SETTINGS}
         from subscription s join source on source.id = s.source_id
         left join folder on folder.reader_id = $1 and folder.id = s.folder_id
        where s.reader_id = $1 and s.deleted_at is null order by s.id`,
      [readerId],
    );
  }

  async storiesOnce(readerId: number): Promise<boolean> {
    const [row] = await this.database.query<{ once: boolean }>(
      'select stories_once as once from reader where id = $1',
      [readerId],
    );
    return row?.once ?? false;
  }

  /** Newest first, in batches. */
  async *ids(readerId: number, file: ItemFile): AsyncGenerator<number[]> {
    const { fetched, added } = await this.#feedIds(readerId);
    const feedIds = file === 'saved' ? [fetched, added] : [fetched];
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const rows = await this.database.query<{ id: number }>(
        `select item.id from item
          where item.reader_id = $1 and item.id < $2 and ${FILES[file]}
          order by item.id desc limit $3`,
        [readerId, before, IDS_AT_ONCE, ...feedIds],
      );
      const last = rows.at(-1);
      if (last === undefined) {
        return;
      }
      yield rows.map(({ id }) => id);
      before = last.id;
    }
  }

  /** Every item of feeds that are fetched, newest first, in batches. */
  async *states(readerId: number): AsyncGenerator<Identified<StateRow>[]> {
    const { fetched } = await this.#feedIds(readerId);
    yield* this.#identified<StateRow>(
      readerId,
      Number.MAX_SAFE_INTEGER,
      fetched,
      `select item.id, item.subscription_id as "feedId", item.article_id as "articleId", item.unread
         from item
        where item.reader_id = $1 and item.id < $2 and item.subscription_id = any($4::bigint[])
        order by item.id desc limit $3`,
    );
  }

  /** Highlights and, with an empty `exact`, notes; in batches. */
  async *highlights(readerId: number): AsyncGenerator<Identified<HighlightRow>[]> {
    const { all } = await this.#feedIds(readerId);
    yield* this.#identified<HighlightRow>(
      readerId,
      0,
      all,
      `select highlight.id, item.subscription_id as "feedId", item.article_id as "articleId",
              highlight.exact, highlight.prefix, highlight.suffix, highlight.position,
              highlight.colour, highlight.note,
              extract(epoch from highlight.created_at)::bigint as created
         from item_highlight highlight
         join item on item.reader_id = $1 and item.id = highlight.item_id
        where highlight.reader_id = $1 and highlight.id > $2 and item.subscription_id = any($4::bigint[])
        order by highlight.id limit $3`,
    );
  }

  /** Asked before their items, which may be on another server than the sources. */
  async #feedIds(readerId: number) {
    const feeds = await this.database.query<{ id: number; givenTo: string | null }>(
      `select s.id, source.given_to as "givenTo"
         from subscription s join source on source.id = s.source_id
        where s.reader_id = $1 and s.deleted_at is null`,
      [readerId],
    );
    const idsOf = (wanted: (givenTo: string | null) => boolean) =>
      feeds.flatMap(({ id, givenTo }) => (wanted(givenTo) ? [id] : []));
    return {
      all: idsOf(() => true),
      fetched: idsOf((givenTo) => givenTo === null),
      // What is on the boards of groups is the groups'.
      added: idsOf((givenTo) => givenTo !== null && givenTo !== GIVEN_TO_BOARD),
    };
  }

  /** Pages through rows by their ids, and reads the guids in a statement of its own: articles may be elsewhere. */
  async *#identified<Row extends { readonly id: number; readonly articleId: number }>(
    readerId: number,
    start: number,
    feedIds: readonly number[],
    page: string,
  ): AsyncGenerator<Identified<Row>[]> {
    for (let after = start; ;) {
      const rows = await this.database.query<Row>(page, [readerId, after, ROWS_AT_ONCE, feedIds]);
      const last = rows.at(-1);
      if (last === undefined) {
        return;
      }
      after = last.id;
      const articles = await this.database.query<{ id: number; guid: string }>(
        'select id, guid from article where id = any($1::bigint[])',
        [rows.map(({ articleId }) => articleId)],
      );
      const guids = new Map(articles.map(({ id, guid }) => [id, guid]));
      yield rows.flatMap(({ articleId, ...row }) => {
        const guid = guids.get(articleId);
        return guid === undefined ? [] : [{ ...row, guid }];
      });
    }
  }
}
