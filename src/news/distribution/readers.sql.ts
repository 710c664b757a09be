import type { SqlRunner } from '../../common/sql-runner.js';
import { COPIED_ROWS } from '../../database/distributed-tables.js';
import { statementsOf } from '../../database/functions/database-function.js';
import { NOTE_FOLLOWER_EVENT } from '../../database/functions/news.js';

/** A table of the family of a reader, and the column that has the reader's id. */
interface ReaderTable {
  readonly name: string;
  readonly column: string;
}

/**
 * Tables that grow with readers. All rows of a reader are on the same worker; tables come after those that
 * they reference. Sources, articles and accounts stay on the coordinator.
 */
export const READER_TABLES: readonly ReaderTable[] = [
  { name: 'reader', column: 'id' },
  { name: 'folder', column: 'reader_id' },
  { name: 'subscription', column: 'reader_id' },
  { name: 'subscription_filter', column: 'reader_id' },
  { name: 'former_source', column: 'reader_id' },
  { name: 'item', column: 'reader_id' },
  { name: 'label', column: 'reader_id' },
  { name: 'item_label', column: 'reader_id' },
  { name: 'saved_search', column: 'reader_id' },
  { name: 'rule', column: 'reader_id' },
  { name: 'rule_effect', column: 'reader_id' },
  { name: 'item_mark', column: 'reader_id' },
  { name: 'item_highlight', column: 'reader_id' },
  { name: 'news_import', column: 'reader_id' },
  { name: 'news_import_row', column: 'reader_id' },
  { name: 'imported_article', column: 'reader_id' },
  { name: 'reader_client', column: 'reader_id' },
  { name: 'playback_position', column: 'reader_id' },
  { name: 'automatic_reader', column: 'reader_id' },
  { name: 'automatic_choice', column: 'reader_id' },
  { name: 'news_event', column: 'reader_id' },
  { name: 'notice_channel', column: 'reader_id' },
  { name: 'notice', column: 'reader_id' },
  { name: 'notice_settings', column: 'reader_id' },
];

/** A constraint of the catalogue. */
interface Constraint {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/**
 * Distributes tables of readers over the workers, existing rows included, in the caller's transaction. Keys
 * get the reader's id as their first column, as Citus asks; foreign keys to tables that stay on the
 * coordinator are dropped.
 *
 * @param waiting the `READER_TABLES` that are not distributed yet
 * @param shards number of parts, which is fixed from then on
 */
export async function distributeReaders(
  waiting: readonly ReaderTable[],
  shards: number,
  tell: (line: string) => void,
  tx: SqlRunner,
): Promise<void> {
  const names = waiting.map(({ name }) => name);
  if (waiting.some(({ name }) => name === 'reader')) {
    await tx.query(FOLLOWERS);
    for (const statement of statementsOf(NOTE_FOLLOWER_EVENT)) {
      await tx.query(statement);
    }
    await tx.query(PLAN_BY_READER);
    await tx.query("select create_reference_table('news_event_wish')");
  }
  const outgoing = await foreignKeys(tx, names);
  await drop(outgoing, tx);
  const keys = await keysWithoutReader(tx, waiting);
  await drop(
    keys.filter(({ definition }) => definition === ''),
    tx,
  );
  for (const key of keys.filter(({ definition }) => definition !== '')) {
    await drop([key], tx);
    await add(key, tx);
  }
  await dropTriggers(names, tx);
  for (const { name, column } of waiting) {
    tell(`Distributing ${name} …`);
    await tx.query(
      name === 'reader'
        ? `select create_distributed_table('reader', 'id', colocate_with => 'none', shard_count => ${shards})`
        : `select create_distributed_table('${name}', '${column}', colocate_with => 'reader')`,
    );
  }
  for (const key of outgoing.filter(({ definition }) => definition !== '')) {
    await add(key, tx);
  }
  const withKeys = new Set([...outgoing.map(({ table }) => table), 'reader']);
  for (const { name } of waiting.filter(({ name }) => !withKeys.has(name))) {
    // A migration that adds a table beside distributed ones cannot make its key.
    await tx.query(
      `alter table ${name} add foreign key (reader_id) references reader (id) on delete cascade`,
    );
  }
}

/**
 * A statement that joins sources with rows of one reader queries the reader's server for those rows, not
 * for all sources.
 */
const PLAN_BY_READER = `do $$ begin
  execute format('alter database %I set citus.local_table_join_policy = ''prefer-distributed''',
                 current_database());
end $$`;

/** Makes followers a table beside the sources, with the keys of `subscription`. */
const FOLLOWERS = `
  drop view follower, former_follower;
  create table follower as
  select id as subscription_id, reader_id, source_id, folder_id, url, title, fetch_every_hours,
         full_text, deleted_at from subscription;
  alter table follower
    add primary key (subscription_id),
    add foreign key (source_id) references source (id);
  create index follower_reader_id_index on follower (reader_id);
  create index follower_source_id_index on follower (source_id);
  create index follower_full_text_index on follower (source_id) where full_text;
  create index follower_fetch_every_hours_index on follower (source_id)
   where fetch_every_hours is not null;
  comment on table follower is '${COPIED_ROWS}';
  create table former_follower as select subscription_id, reader_id, source_id from former_source;
  alter table former_follower
    add primary key (subscription_id, source_id), add foreign key (source_id) references source (id);
  comment on table former_follower is '${COPIED_ROWS}';
  create index former_follower_source_id_index on former_follower (source_id);
  create index former_follower_reader_id_index on former_follower (reader_id);
`;

/** Citus has none on distributed tables. */
async function dropTriggers(tables: readonly string[], tx: SqlRunner): Promise<void> {
  const triggers = await tx.query<{ table: string; name: string }>(
    `select tgrelid::regclass::text as table, tgname as name from pg_trigger
      where not tgisinternal and tgrelid = any($1::regclass[])`,
    [tables],
  );
  for (const { table, name } of triggers) {
    await tx.query(`drop trigger ${name} on ${table}`);
  }
}

const FAMILY = `family (name, reader_column) as (
  values ${READER_TABLES.map(({ name, column }) => `('${name}', '${column}')`).join(', ')})`;

/** SQL of the names of columns of a constraint, in its order. */
const columnsOf = (table: string, numbers: string) => `(
  select array_agg(attname::text order by place)
    from unnest(${numbers}) with ordinality as one (number, place)
    join pg_attribute on attrelid = ${table} and attnum = number)`;

/**
 * Foreign keys of and to these tables, each with its definition for shards: from reader to reader. It is
 * empty for those between the family and other tables.
 */
async function foreignKeys(runner: SqlRunner, tables: readonly string[]): Promise<Constraint[]> {
  return runner.query<Constraint>(
    `with ${FAMILY}, key as (
       select c.conrelid::regclass::text as table, c.conname::text as name,
              c.confrelid::regclass::text as target, pg_get_constraintdef(c.oid) as definition,
              ${columnsOf('c.conrelid', 'c.conkey')} as columns,
              ${columnsOf('c.confrelid', 'c.confkey')} as target_columns
         from pg_constraint c
        where c.contype = 'f'
          and (c.conrelid = any($1::regclass[]) or c.confrelid = any($1::regclass[]))
     )
     select key.table, key.name,
            case when own.name is null or target.name is null then ''
                 when own.reader_column = any(columns) then definition
                 else format('foreign key (%I, %s) references %I (%I, %s)%s', own.reader_column,
                             array_to_string(columns, ', '), key.target, target.reader_column,
                             array_to_string(target_columns, ', '),
                             substring(definition from ' ON DELETE .*$')) end as definition
       from key left join family own on own.name = key.table
       left join family target on target.name = key.target
      order by key.table, key.name`,
    [tables],
  );
}

/**
 * Keys of these tables that do not have the reader's id, each with its definition for shards. The
 * definition for `reader`'s user key is empty: it cannot be kept, and `reader_user` has the same.
 */
async function keysWithoutReader(
  runner: SqlRunner,
  tables: readonly ReaderTable[],
): Promise<Constraint[]> {
  return runner.query<Constraint>(
    `with ${FAMILY}, key as (
       select c.conrelid::regclass::text as table, c.conname::text as name, c.contype,
              ${columnsOf('c.conrelid', 'c.conkey')} as columns
         from pg_constraint c
        where c.contype in ('p', 'u') and c.conrelid::regclass::text = any($1::text[])
     )
     select key.table, key.name,
            case when key.table = 'reader' then ''
                 else format('%s (%I, %s)', case contype when 'p' then 'primary key' else 'unique' end,
                             reader_column, array_to_string(columns, ', ')) end as definition
       from key join family on family.name = key.table
      where not reader_column = any(columns)
      order by key.table, key.name`,
    [tables.map(({ name }) => name)],
  );
}

async function drop(constraints: readonly Constraint[], tx: SqlRunner): Promise<void> {
  for (const { table, name } of constraints) {
    await tx.query(`alter table ${table} drop constraint ${name}`);
  }
}

async function add({ table, name, definition }: Constraint, tx: SqlRunner): Promise<void> {
  await tx.query(`alter table ${table} add constraint ${name} ${definition}`);
}
