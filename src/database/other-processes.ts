import type { Client } from 'pg';

/**
 * Connections of other processes of Gatefold to the database.
 *
 * @param own names of the caller's own programs
 * @returns their names, each once
 */
export async function otherProcesses(client: Client, own: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct application_name as name from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and application_name like 'gatefold%' and application_name <> all ($1)
        and backend_type = 'client backend'`,
    [own],
  );
  return rows.map(({ name }) => name);
}
