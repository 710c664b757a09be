import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { Client } from 'pg';
import { queryServer, urlOfDatabase } from './test-database.js';

/**
 * Creates a database as the last version before the base left it (commit 3d4de602, migration
 * 0077-manners), with invented rows in every table.
 */
export async function createFormerDatabase(name: string): Promise<void> {
  const dump = await readFile(new URL('../database/schema-0077.sql.gz', import.meta.url));
  await queryServer(`create database "${name}"`);
  const client = new Client(urlOfDatabase(name));
  await client.connect();
  await client.query(gunzipSync(dump).toString());
  await client.end();
}

/** A line for each part of the schema. */
export async function catalogueOf(url: string): Promise<string[]> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query<{ line: string }>(
    `with ours as (
       select oid, relname, relkind, reloptions from pg_class
        where relnamespace = 'public'::regnamespace and relname not like 'migration%'
     ), parts (line) as (
       select concat_ws(' ', 'column', relname, row_number() over (partition by c.oid order by attnum),
                        attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated,
                        attstorage, attcompression, attcollation::regcollation,
                        pg_get_expr(adbin, adrelid))
         from pg_attribute a join ours c on c.oid = attrelid
         left join pg_attrdef on adrelid = attrelid and adnum = attnum
        where relkind in ('r', 'v') and attnum > 0 and not attisdropped
       union all
       select concat_ws(' ', relkind, relname, reloptions) from ours
       union all
       select concat_ws(' ', 'constraint', relname, conname, pg_get_constraintdef(k.oid))
         from pg_constraint k join ours c on c.oid = conrelid where contype <> 'n'
       union all
       select pg_get_indexdef(indexrelid) from pg_index join ours c on c.oid = indrelid
       union all
       select pg_get_triggerdef(t.oid) from pg_trigger t join ours c on c.oid = tgrelid
        where not tgisinternal
       union all
       select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
       union all
       select concat_ws(' ', 'view', relname, pg_get_viewdef(oid)) from ours where relkind = 'v'
       union all
       select concat_ws(' ', 'sequence', relname, seqtypid::regtype, seqstart, seqincrement, seqmin,
                        seqmax, seqcache, seqcycle)
         from pg_sequence join ours c on c.oid = seqrelid
       union all
       select concat_ws(' ', 'comment', relname, objsubid, description)
         from pg_description join ours c on c.oid = objoid
     )
     select regexp_replace(line, '\\s+', ' ', 'g') as line from parts order by line`,
  );
  await client.end();
  return rows.map(({ line }) => line);
}
