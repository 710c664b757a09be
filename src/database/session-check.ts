import type { MikroORM } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { StartRefused } from '../common/errors/start-refused.js';
import { closeConnection, openConnection, openPoolConnection } from './dedicated-connection.js';

const PROBE = 'gatefold.session_probe';

/**
 * Verifies that a connection keeps its server session. A pooler in transaction mode, such as
 * PgBouncer, delivers no notifications, and leaks session locks to other clients.
 *
 * @param first an idle connection of `openConnection`
 * @throws StartRefused with a pooler in transaction mode
 */
export async function assertSessionsAreOurs(orm: MikroORM, first: Client): Promise<void> {
  const second = await openConnection(orm);
  try {
    if (await shareSession(first, second)) {
      throw new StartRefused(
        'The connection pooler in front of the database shares its sessions between transactions. ' +
          'Gatefold needs a way around it: let DATABASE_DIRECT_URL name the database server itself. ' +
          'Or set pool_mode = session in PgBouncer.',
      );
    }
  } finally {
    await closeConnection(second);
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

/**
 * Verifies that `DATABASE_URL` and `DATABASE_DIRECT_URL` lead to the same database.
 *
 * @throws StartRefused
 */
export async function assertSameServer(orm: MikroORM): Promise<void> {
  const pooled = await serverBehind(await openPoolConnection(orm));
  const direct = await serverBehind(await openConnection(orm));
  if (pooled !== direct) {
    throw new StartRefused(
      'DATABASE_URL and DATABASE_DIRECT_URL name different databases. Let both lead to the same one: ' +
        'the first through the connection pooler, the second to the server itself.',
    );
  }
}

async function serverBehind(client: Client): Promise<string> {
  try {
    const { rows } = await client.query<{ place: string }>(
      `select concat(current_database(), ' ', extract(epoch from pg_postmaster_start_time())) as place`,
    );
    return rows[0]?.place ?? '';
  } finally {
    await closeConnection(client);
  }
}
