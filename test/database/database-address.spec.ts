import { describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Client } from 'pg';
import { ormConfig } from '../../src/database/connections/orm.config.js';
import { createTestDatabase } from '../support/test-database.js';

/** SSLRequest: length 8 and the request code. */
const SSL_REQUEST = '0000000804d2162f';

async function databaseReachedBy(url: string): Promise<unknown> {
  const orm = await MikroORM.init(ormConfig({ url }, [], 4));
  try {
    const [row] = await orm.em.execute<{ name: string }[]>('select current_database() as name');
    return row?.name;
  } finally {
    await orm.close();
  }
}

describe('the address of a database', () => {
  it('may have the host, or the folder of a socket, in the query', async () => {
    const database = await createTestDatabase();
    const { host, port, user = '', password = '', database: name } = new Client(database.url);
    const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
    const where = new URLSearchParams({ host, port: String(port) });

    const reached = await databaseReachedBy(`postgresql://${login}@no.invalid/${name}?${where}`);

    expect(reached).toBe(name);
    await database.drop();
  });

  it('may require TLS, without fallback', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const firstBytes: string[] = [];
    server.on('connection', (socket) => {
      socket.once('data', (bytes) => {
        firstBytes.push(bytes.toString('hex'));
        socket.end('N');
      });
    });
    const { port } = server.address() as AddressInfo;

    const attempt = databaseReachedBy(
      `postgresql://ada@127.0.0.1:${port}/reader?sslmode=verify-full`,
    );

    await expect(attempt).rejects.toThrow('does not support SSL');
    expect(new Set(firstBytes)).toEqual(new Set([SSL_REQUEST]));
    server.close();
  });
});
