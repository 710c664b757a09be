import { Injectable } from '@nestjs/common';
import { countUpTo } from '../../database/count-up-to.js';
import { Database, type SqlRunner } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import { ImportedArticleEntity } from '../tables/imported-article.entity.js';
import type { ImportedRow } from './imported-row.js';
import { NewsImportEntity, type ImportState, type Made } from './imports.entities.js';

const ROW = selectList(NewsImportEntity, 'news_import', [
  'id',
  'format',
  'state',
  'rowCount',
  'doneCount',
  'preview',
  'outcome',
  'leftOut',
  'feeds',
  'made',
]);

const IMPORT = `${ROW}, news_import.opml is not null as "hasOpml",
     extract(epoch from created_at)::bigint as "createdSeconds",
     extract(epoch from started_at)::bigint as "startedSeconds",
     extract(epoch from ended_at)::bigint as "endedSeconds"`;

/** A file of another reader. Times are unix seconds. */
export type NewsImport = RowOf<typeof ROW> & {
  readonly hasOpml: boolean;
  readonly createdSeconds: number;
  readonly startedSeconds: number | null;
  readonly endedSeconds: number | null;
};

/** A row of a file that is not done yet. */
export interface StagedRow {
  readonly place: number;
  readonly identity: Buffer;
  readonly row: ImportedRow;
}

const MEMORY = selectList(ImportedArticleEntity, 'imported_article', [
  'itemId',
  'importId',
  'created',
  'read',
  'starred',
  'noted',
  'labels',
  'highlightIds',
]);

/** What an import did for a row. @see ImportedArticleEntity */
export type Memory = RowOf<typeof MEMORY> & {
  /** Hexadecimal. */
  readonly identity: string;
};

/** Imports of users, their rows, and what they did. */
@Injectable()
export class ImportsRepository {
  constructor(private readonly database: Database) {}

  /** Newest first; those that are still read are left out. */
  async list(readerId: number): Promise<NewsImport[]> {
    return this.database.query<NewsImport>(
      `select ${IMPORT} from news_import where reader_id = $1 and state <> 'reading' order by id desc`,
      [readerId],
    );
  }

  async find(readerId: number, id: number, tx?: SqlRunner): Promise<NewsImport | null> {
    const [found] = await (tx ?? this.database).query<NewsImport>(
      `select ${IMPORT} from news_import where reader_id = $1 and id = $2 and state <> 'reading'`,
      [readerId, id],
    );
    return found ?? null;
  }

  /** Whether another import of the user is under way. */
  async isBusy(readerId: number, tx: SqlRunner): Promise<boolean> {
    const rows = await tx.query(
      "select 1 from news_import where reader_id = $1 and state in ('running', 'undoing') limit 1",
      [readerId],
    );
    return rows.length > 0;
  }

  /** Of all users. */
  async underWay(): Promise<{ readonly userId: string; readonly importId: number }[]> {
    return this.database.query(
      `select user_id as "userId", news_import.id as "importId"
         from news_import join reader_user on reader_user.reader_id = news_import.reader_id
        where state in ('running', 'undoing')`,
    );
  }

  async count(readerId: number, most: number, tx: SqlRunner): Promise<number> {
    return countUpTo(tx, 'news_import where reader_id = $1', [readerId], most);
  }

  /** Rows that are remembered, and those that are not done yet. Counts each no further than `most`. */
  async countRows(readerId: number, most: number, tx: SqlRunner): Promise<number> {
    const done = await countUpTo(tx, 'imported_article where reader_id = $1', [readerId], most);
    return done + (await countUpTo(tx, 'news_import_row where reader_id = $1', [readerId], most));
  }

  /** @returns its id */
  async create(
    readerId: number,
    { format }: Pick<NewsImport, 'format'>,
    tx: SqlRunner,
  ): Promise<number> {
    const [row] = await tx.query<{ id: number }>(
      `insert into news_import (reader_id, format, state, preview, left_out, feeds)
       values ($1, $2, 'reading', '{}', '{}', '[]') returning id`,
      [readerId, format],
    );
    return row?.id ?? 0;
  }

  async stage(
    readerId: number,
    importId: number,
    rows: readonly (StagedRow & { readonly atSeconds: number })[],
    tx: SqlRunner,
  ): Promise<void> {
    await tx.query(
      `insert into news_import_row (reader_id, import_id, place, at_seconds, identity, row)
       select $1, $2, place, at_seconds, identity, row
         from unnest($3::integer[], $4::bigint[], $5::bytea[], $6::text[])
              as given (place, at_seconds, identity, row)`,
      [
        readerId,
        importId,
        rows.map(({ place }) => place),
        rows.map(({ atSeconds }) => atSeconds),
        rows.map(({ identity }) => identity),
        rows.map(({ row }) => JSON.stringify(row)),
      ],
    );
  }

  /** The file is read: it is the user's only preview. */
  async finishReading(
    readerId: number,
    id: number,
    read: Pick<NewsImport, 'rowCount' | 'preview' | 'leftOut' | 'feeds'> & {
      readonly opml: readonly Uint8Array[];
    },
    tx: SqlRunner,
  ): Promise<void> {
    const former = await tx.query<{ id: number }>(
      "select id from news_import where reader_id = $1 and state = 'preview'",
      [readerId],
    );
    for (const one of former) {
      await this.remove(readerId, one.id, tx);
    }
    await tx.query(
      `update news_import set state = 'preview', row_count = $3, preview = $4, left_out = $5,
                              feeds = $6, opml = $7
        where reader_id = $1 and id = $2`,
      [
        readerId,
        id,
        read.rowCount,
        JSON.stringify(read.preview),
        JSON.stringify(read.leftOut),
        JSON.stringify(read.feeds),
        read.opml.length === 0 ? null : read.opml,
      ],
    );
  }

  async setState(readerId: number, id: number, state: ImportState, tx: SqlRunner): Promise<void> {
    await tx.query(
      `update news_import
          set state = $3, started_at = case when $3 = 'running' then $4::timestamptz else started_at end,
              ended_at = case when $3 in ('running', 'undoing') then null else $4 end
        where reader_id = $1 and id = $2`,
      [readerId, id, state, new Date()],
    );
  }

  async saveProgress(
    readerId: number,
    { id, doneCount, outcome, leftOut, made }: NewsImport,
    tx: SqlRunner,
  ): Promise<void> {
    await tx.query(
      `update news_import set done_count = $3, outcome = $4, left_out = $5, made = $6
        where reader_id = $1 and id = $2`,
      [readerId, id, doneCount, ...[outcome, leftOut, made].map((part) => JSON.stringify(part))],
    );
  }

  /** The lists of feeds of a file, to be imported. */
  async opml(readerId: number, id: number): Promise<readonly Uint8Array[]> {
    const [row] = await this.database.query<{ opml: Buffer[] | null }>(
      'select opml from news_import where reader_id = $1 and id = $2',
      [readerId, id],
    );
    return row?.opml ?? [];
  }

  async forgetOpml(readerId: number, id: number, tx: SqlRunner): Promise<void> {
    await tx.query('update news_import set opml = null where reader_id = $1 and id = $2', [
      readerId,
      id,
    ]);
  }

  /** Removes what is not done of an import, and with `entirely` the import; what it did is remembered. */
  async remove(readerId: number, id: number, tx: SqlRunner, entirely = true): Promise<void> {
    await tx.query('delete from news_import_row where reader_id = $1 and import_id = $2', [
      readerId,
      id,
    ]);
    if (entirely) {
      await tx.query('delete from news_import where reader_id = $1 and id = $2', [readerId, id]);
    }
  }

  /** The oldest rows that are not done, at least one. @param mostCharacters of them together */
  async nextRows(
    readerId: number,
    importId: number,
    most: number,
    mostCharacters: number,
  ): Promise<StagedRow[]> {
    const rows = await this.database.query<Omit<StagedRow, 'row'> & { readonly row: string }>(
      `select place, identity, row
         from (select place, identity, row, at_seconds,
                      sum(length(row)) over (order by at_seconds, place desc) - length(row) as before
                 from (select * from news_import_row where reader_id = $1 and import_id = $2
                        order by at_seconds, place desc limit $3) next) next
        where before = 0 or before + length(row) <= $4 order by at_seconds, place desc`,
      [readerId, importId, most, mostCharacters],
    );
    return rows.map(({ row, ...one }) => ({ ...one, row: JSON.parse(row) as ImportedRow }));
  }

  /** Removes rows that are done in this transaction. @returns the places of those that were left */
  async take(
    readerId: number,
    importId: number,
    places: readonly number[],
    tx: SqlRunner,
  ): Promise<Set<number>> {
    const rows = await tx.query<{ place: number }>(
      `delete from news_import_row
        where reader_id = $1 and import_id = $2 and place = any($3::integer[]) returning place`,
      [readerId, importId, places],
    );
    return new Set(rows.map(({ place }) => place));
  }

  /** What imports did for these rows or items; items that are gone are no longer remembered. */
  async memories(
    readerId: number,
    {
      identities,
      itemIds,
    }: { readonly identities: readonly Buffer[]; readonly itemIds: readonly number[] },
    tx: SqlRunner = this.database,
  ): Promise<Memory[]> {
    return tx.query<Memory>(
      `select ${MEMORY}, encode(identity, 'hex') as identity
         from imported_article
         join item on item.reader_id = $1 and item.id = imported_article.item_id
         join subscription s on s.reader_id = $1 and s.id = item.subscription_id and s.deleted_at is null
        where imported_article.reader_id = $1
          and (identity = any($2::bytea[]) or item_id = any($3::bigint[]))
        order by import_id`,
      [readerId, identities, itemIds],
    );
  }

  async remember(readerId: number, done: readonly Memory[], tx: SqlRunner): Promise<void> {
    if (done.length === 0) {
      return;
    }
    await tx.query(
      `insert into imported_article as known
         (reader_id, identity, import_id, item_id, created, read, starred, noted, labels, highlight_ids)
       select $1, decode(identity, 'hex'), import_id, item_id, created, read, starred, noted,
              array(select json_array_elements_text(labels)),
              array(select json_array_elements_text(highlight_ids)::bigint)
         from unnest($2::text[], $3::bigint[], $4::bigint[], $5::boolean[], $6::boolean[], $7::boolean[],
                     $8::boolean[], $9::json[], $10::json[])
              as given (identity, import_id, item_id, created, read, starred, noted, labels, highlight_ids)
       on conflict (reader_id, identity, import_id) do update
          set item_id = excluded.item_id, created = known.created or excluded.created,
              read = known.read or excluded.read, starred = known.starred or excluded.starred,
              noted = known.noted or excluded.noted, labels = known.labels || excluded.labels,
              highlight_ids = known.highlight_ids || excluded.highlight_ids`,
      [
        readerId,
        done.map(({ identity }) => identity),
        done.map(({ importId }) => importId),
        done.map(({ itemId }) => itemId),
        done.map(({ created }) => created),
        done.map(({ read }) => read),
        done.map(({ starred }) => starred),
        done.map(({ noted }) => noted),
        done.map(({ labels }) => JSON.stringify(labels)),
        done.map(({ highlightIds }) => JSON.stringify(highlightIds)),
      ],
    );
  }

  /** The highlights and notes that an import made. */
  async highlightIds(readerId: number, importId: number, tx: SqlRunner): Promise<number[]> {
    const rows = await tx.query<{ id: number }>(
      `select unnest(highlight_ids) as id from imported_article where reader_id = $1 and import_id = $2`,
      [readerId, importId],
    );
    return rows.map(({ id }) => id);
  }

  /** Forgets what an import did; it may be done again. @param ruleId of the import among rules */
  async forget(readerId: number, importId: number, ruleId: number, tx: SqlRunner): Promise<void> {
    await tx.query('delete from imported_article where reader_id = $1 and import_id = $2', [
      readerId,
      importId,
    ]);
    await tx.query('delete from rule_effect where reader_id = $1 and rule_id = $2', [
      readerId,
      ruleId,
    ]);
  }

  /** Removes feeds without items, folders without feeds and labels without items, of these. */
  async removeEmpty(
    readerId: number,
    { feedIds = [], folderIds = [], labelIds = [] }: Partial<Made>,
    tx: SqlRunner,
  ): Promise<void> {
    for (const [table, column, ids] of [
      ['item', 'subscription_id', feedIds],
      ['subscription', 'folder_id', folderIds],
      ['item_label', 'label_id', labelIds],
    ] as const) {
      const holder = { item: 'subscription', subscription: 'folder', item_label: 'label' }[table];
      await tx.query(
        `delete from ${holder} where reader_id = $1 and id = any($2::bigint[])
            and not exists (select 1 from ${table} held
                             where held.reader_id = $1 and held.${column} = ${holder}.id)`,
        [readerId, ids],
      );
    }
  }

  /** Removes files that nobody started to import for a day, and memories of items that are gone. */
  async tidy(): Promise<void> {
    const old = await this.database.query<{ readerId: number; id: number }>(
      `select reader_id as "readerId", id from news_import
        where state in ('reading', 'preview') and created_at < now() - interval '1 day'`,
    );
    for (const { readerId, id } of old) {
      await this.remove(readerId, id, this.database);
    }
    await this.database.query(
      `delete from imported_article where not exists (
         select 1 from item
          where item.reader_id = imported_article.reader_id and item.id = imported_article.item_id)`,
    );
  }
}
