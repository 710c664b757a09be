import type { MikroORM } from '@mikro-orm/postgresql';
import { Client, type ClientConfig } from 'pg';

const CONNECT_TIMEOUT_MS = 10_000;
const GOODBYE_MS = 1000;

/**
 * Opens a connection to the same database as the pool, and apart from it.
 *
 * @throws Error when there is none within ten seconds
 */
export async function openConnection(orm: MikroORM, settings: ClientConfig = {}): Promise<Client> {
  const { options } = await orm.em.getConnection().getNativeClient();
  // pg hides passwords and keys from being copied along by accident; here they are meant.
  const { password, ssl } = options;
  const client = new Client({
    ...options,
    password,
    ssl,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...settings,
  });
  // A lost connection ends, too; but an error that nobody listens for would end the process.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Closes a connection, also one whose other end does not answer any more. */
export async function closeConnection(client: Client): Promise<void> {
  const ended = client.end();
  const timer = setTimeout(() => client.connection.stream.destroy(), GOODBYE_MS);
  await ended;
  clearTimeout(timer);
}
