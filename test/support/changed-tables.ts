import type { Database } from '../../src/database/database.js';

/**
 * Notes which tables of `public` change from now on, by triggers; an update to the same values is no change.
 *
 * @returns asks for those since it was last asked
 */
export async function watchTables(database: Database): Promise<() => Promise<string[]>> {
  await database.query(`
    create schema watched;
    create table watched.changed (name text);
    create function watched.note() returns trigger language plpgsql as $$
      begin
        insert into watched.changed values (format('%I.%I', tg_table_schema, tg_table_name));
        return null;
      end $$;
    do $$
      declare
        one record;
      begin
        for one in select format('%I.%I', schemaname, tablename) as name from pg_tables
                    where schemaname = 'public' loop
          execute 'create trigger watched after insert or delete on ' || one.name ||
                  ' for each row execute function watched.note()';
          execute 'create trigger watched_update after update on ' || one.name ||
                  ' for each row when (old.* is distinct from new.*) execute function watched.note()';
        end loop;
      end $$`);
  return async () => {
    const rows = await database.query<{ name: string }>(
      `with noted as (delete from watched.changed returning name)
       select distinct name from noted order by 1`,
    );
    return rows.map(({ name }) => name);
  };
}
