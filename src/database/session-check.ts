import type { MikroORM } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { StartRefused } from '../common/errors/start-refused.js';
import { closeConnection, openConnection } from './dedicated-connection.js';

const PROBE = 'gatefold.session_probe';

/**
 * Makes sure that a connection is one session of the server for as long as it is open. A pooler
 * that shares sessions between transactions, as PgBouncer can, never delivers notifications, and
 * session locks stay with whichever transaction comes next.
 *
 * @throws StartRefused when sessions are shared between connections
 */
export async function assertSessionsAreOurs(orm: MikroORM): Promise<void> {
  const first = await openConnection(orm);
  try {
    const second = await openConnection(orm);
    try {
      if (await shareSession(first, second)) {
        throw new StartRefused(
          'The connection pooler in front of the database shares its sessions between transactions. ' +
            'Gatefold needs sessions of its own: set pool_mode = session in PgBouncer, or let ' +
            'DATABASE_URL name the database server itself.',
        );
      }
    } finally {
      await closeConnection(second);
    }
  } finally {
    await closeConnection(first);
  }
}

/** The second one holds a transaction, so that the first has to get another session if they share. */
async function shareSession(first: Client, second: Client): Promise<boolean> {
  const mark = randomUUID();
  await first.query('select set_config($1, $2, false)', [PROBE, mark]);
  await second.query('begin');
  if ((await markOf(second)) === mark) {
    return true;
  }
  return (await markOf(first)) !== mark;
}

async function markOf(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ mark: string | null }>(
    'select current_setting($1, true) as mark',
    [PROBE],
  );
  return rows[0]?.mark ?? null;
}
