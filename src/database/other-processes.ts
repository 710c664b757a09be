import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';

/** Sessions of a process that has just stopped end within this time. */
const ENDED_WITHIN_MS = 2000;

/**
 * Names of the connections of other processes of Gatefold, each once. Waits for sessions that are ending.
 *
 * @param own names of the caller's own programs
 */
export async function otherProcesses(client: Client, own: readonly string[]): Promise<string[]> {
  const deadline = Date.now() + ENDED_WITHIN_MS;
  for (;;) {
    // Otherwise a transaction sees the same list again.
    await client.query('select pg_stat_clear_snapshot()');
    const { rows } = await client.query<{ name: string }>(
      `select distinct application_name as name from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
          and application_name like 'gatefold%' and application_name <> all ($1)
          and backend_type = 'client backend'`,
      [own],
    );
    if (rows.length === 0 || Date.now() > deadline) {
      return rows.map(({ name }) => name);
    }
    await pause(50);
  }
}
