import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Client } from 'pg';

/** A connection pooler that shares one session of the server between transactions. */
export interface TransactionPooler {
  /** For `DATABASE_URL`. */
  readonly url: string;
  close(): Promise<void>;
}

/** "Authentication ok", and "ready for query" outside a transaction. */
const WELCOME = Buffer.from('5200000008000000005a0000000549', 'hex');
const READY_FOR_QUERY = 'Z'.charCodeAt(0);
const TERMINATE = 'X'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);

/** @param databaseUrl address of a test database without a password */
export async function aTransactionPooler(databaseUrl: string): Promise<TransactionPooler> {
  const { host, port, user = '', database = '' } = new Client(databaseUrl);
  const server = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  server.write(startup({ user, database }));
  const waiting: { client: Socket; bytes: Buffer }[] = [];
  const clients = new Set<Socket>();
  let owner: Socket | undefined;
  let isWelcome = false;

  const next = () => {
    const turn = isWelcome && owner === undefined ? waiting.shift() : undefined;
    if (turn !== undefined) {
      owner = turn.client;
      server.write(turn.bytes);
    }
  };
  server.on('data', (bytes) => {
    owner?.write(bytes);
    // Complete responses end with "ready for query": type, length 5, status.
    if (bytes.at(-6) === READY_FOR_QUERY && bytes.at(-1) === IDLE) {
      isWelcome = true;
      owner = undefined;
      next();
    }
  });
  const pooler = createServer((client) => {
    clients.add(client);
    client.on('error', () => {});
    client.once('data', () => {
      client.write(WELCOME);
      client.on('data', (bytes) => {
        if (bytes[0] === TERMINATE) {
          client.end();
        } else if (client === owner) {
          server.write(bytes);
        } else {
          waiting.push({ client, bytes });
          next();
        }
      });
    });
  });
  pooler.listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  return {
    url: `postgresql://${user}@127.0.0.1:${(pooler.address() as AddressInfo).port}/${database}`,
    async close() {
      clients.forEach((client) => client.destroy());
      server.destroy();
      pooler.close();
      await once(pooler, 'close');
    },
  };
}

function startup(parameters: Readonly<Record<string, string>>): Buffer {
  const text = Object.entries(parameters)
    .flat()
    .map((word) => `${word}\0`)
    .join('');
  const body = Buffer.concat([Buffer.from([0, 3, 0, 0]), Buffer.from(`${text}\0`)]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([length, body]);
}
