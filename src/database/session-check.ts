import type { MikroORM } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { StartRefused } from '../common/errors/start-refused.js';
import { closeConnection, openConnection } from './dedicated-connection.js';

const PROBE = 'gatefold.session_probe';

/**
 * Verifies that a connection keeps its server session. A pooler in transaction mode, such as
 * PgBouncer, delivers no notifications, and leaks session locks to other clients.
 *
 * @throws StartRefused with a pooler in transaction mode
 */
export async function assertSessionsAreOurs(orm: MikroORM): Promise<void> {
  const first = await openConnection(orm);
  try {
    const second = await openConnection(orm);
    try {
      if (await shareSession(first, second)) {
        throw new StartRefused(
          'The connection pooler in front of the database shares its sessions between transactions. ' +
            'Gatefold needs session pooling: set pool_mode = session in PgBouncer, or let  ' +
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

/**
 * The second one keeps a transaction open, so that with a shared session the first gets another
 * one.
 */
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
