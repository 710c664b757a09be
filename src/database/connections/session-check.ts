import type { MikroORM } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { StartRefused } from '../../common/errors/start-refused.js';
import { closeConnection, openConnection, openPoolConnection } from './dedicated-connection.js';

const PROBE = 'gatefold.session_probe';
const PROBED = `select current_setting('${PROBE}', true) as mark`;

interface Probe {
  readonly mark: string | null;
}

/**
 * Verifies that a connection keeps its server session. A pooler in transaction mode, such as
 * PgBouncer, delivers no notifications, and leaks session locks to other clients.
 *
 * @param own an idle connection of `openConnection`
 * @throws StartRefused with a pooler in transaction mode
 */
export async function assertSessionsAreOurs(orm: MikroORM, own: Client): Promise<void> {
  const mark = randomUUID();
  await own.query('select set_config($1, $2, false)', [PROBE, mark]);
  const connection = orm.em.getConnection();
  // The transaction keeps a shared session, so that the connection outside gets another one.
  const isShared = await connection.transactional(async (tx) => {
    const inside: Probe = await connection.execute(PROBED, [], 'get', tx);
    // Asked second: behind a pooler with one session, the query outside would wait for this transaction.
    return inside.mark === mark || (await own.query<Probe>(PROBED)).rows[0]?.mark !== mark;
  });
  if (isShared) {
    throw new StartRefused(
      'The connection pooler in front of the database shares its sessions between transactions. ' +
        'Gatefold needs a way around it: let DATABASE_DIRECT_URL name the database server itself. ' +
        'Or set pool_mode = session in PgBouncer.',
    );
  }
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
