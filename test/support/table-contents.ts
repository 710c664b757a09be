import type { Database } from '../../src/database/database.js';

/**
 * A digest of the rows of each table, jobs included, to detect what a request has changed.
 *
 * @param about only rows whose text contains this; default: all
 */
export async function tableContents(
  database: Database,
  about = '',
): Promise<Readonly<Record<string, string>>> {
  const tables = await database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname = 'public' order by 1`,
  );
  const digests = tables.map(
    ({ name }, index) =>
      `select '${name}' as name, md5(coalesce(string_agg(t${index}::text, '|' order by t${index}::text), ''))
              as digest from ${name} t${index} where strpos(t${index}::text, $1) > 0 or $1 = ''`,
  );
  const rows = await database.query<{ name: string; digest: string }>(digests.join(' union all '), [
    about,
  ]);
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}
