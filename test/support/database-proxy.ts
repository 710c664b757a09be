import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Client } from 'pg';

/** A TCP proxy in front of PostgreSQL that can disturb its connections. */
export interface DatabaseProxy {
  /** For `DATABASE_URL`. */
  readonly url: string;
  /** Open connections. */
  connections(): number;
  /**
   * Cuts the next connection on which a cursor ends: "command complete" is forwarded, "ready for
   * query" is not.
   */
  cutAfterLastRow(): void;
  /** Cuts every connection, and refuses new ones until `accept`. */
  refuse(): void;
  /** Forwards nothing in either direction, and keeps all connections open, until `accept`. */
  freeze(): void;
  accept(): void;
  /** Accepts more connections than that without serving them, like a pooler in session mode. */
  limit(connections: number): void;
  /** Cuts every connection; accepts new ones. */
  cut(): void;
  close(): Promise<void>;
}

interface Link {
  readonly client: Socket;
  readonly server: Socket;
}

/** Message types of the server. */
const COMMAND_COMPLETE = 'C'.charCodeAt(0);
const PORTAL_SUSPENDED = 's'.charCodeAt(0);

/** @param databaseUrl address of a test database */
export async function aDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const { host, port, user = '', password, database = '' } = new Client(databaseUrl);
  const links = new Set<Link>();
  let mode: 'open' | 'refused' | 'frozen' = 'open';
  let most = Number.POSITIVE_INFINITY;
  const waiting = new Set<Socket>();
  let cutsAfterLastRow = false;

  const end = (link: Link) => {
    links.delete(link);
    link.client.destroy();
    link.server.destroy();
  };
  const proxy = createServer((client) => {
    if (mode === 'refused') {
      client.destroy();
      return;
    }
    if (links.size >= most) {
      waiting.add(client);
      client.on('error', () => {});
      client.once('close', () => waiting.delete(client));
      return;
    }
    const server = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    const link = { client, server };
    links.add(link);
    for (const socket of [client, server]) {
      socket.on('error', () => end(link));
      socket.on('close', () => end(link));
      if (mode === 'frozen') {
        socket.pause();
      }
    }
    const messages = new ServerMessages();
    client.on('data', (bytes) => server.write(bytes));
    server.on('data', (bytes) => {
      const cutAt = messages.endOfCursor(bytes);
      if (cutsAfterLastRow && cutAt !== undefined) {
        cutsAfterLastRow = false;
        client.write(bytes.subarray(0, cutAt), () => end(link));
        server.destroy();
        return;
      }
      client.write(bytes);
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address() as AddressInfo;
  const login = [user, password].map((part) => encodeURIComponent(part ?? '')).join(':');

  return {
    url: `postgresql://${login}@127.0.0.1:${address.port}/${database}`,
    connections: () => links.size,
    cutAfterLastRow: () => {
      cutsAfterLastRow = true;
    },
    refuse() {
      mode = 'refused';
      links.forEach(end);
    },
    freeze() {
      mode = 'frozen';
      for (const { client, server } of links) {
        client.pause();
        server.pause();
      }
    },
    accept() {
      mode = 'open';
      for (const { client, server } of links) {
        client.resume();
        server.resume();
      }
    },
    limit(connections) {
      most = connections;
    },
    cut: () => links.forEach(end),
    async close() {
      links.forEach(end);
      waiting.forEach((client) => client.destroy());
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

/** Parses messages of the server: a type of one byte, then a length that includes itself. */
class ServerMessages {
  #header = Buffer.alloc(0);
  /** Remaining bytes of the current message. */
  #left = 0;
  #type = 0;
  #hasCursor = false;

  /** @returns the number of bytes up to the end of a cursor, if one ends among them */
  endOfCursor(bytes: Buffer): number | undefined {
    let found: number | undefined;
    let at = 0;
    while (at < bytes.length) {
      if (this.#left === 0) {
        const missing = 5 - this.#header.length;
        this.#header = Buffer.concat([this.#header, bytes.subarray(at, at + missing)]);
        at = Math.min(at + missing, bytes.length);
        if (this.#header.length < 5) {
          break;
        }
        this.#type = this.#header.readUInt8(0);
        this.#left = this.#header.readUInt32BE(1) - 4;
        this.#header = Buffer.alloc(0);
      }
      const taken = Math.min(this.#left, bytes.length - at);
      this.#left -= taken;
      at += taken;
      if (this.#left === 0 && this.#type === PORTAL_SUSPENDED) {
        this.#hasCursor = true;
      }
      if (this.#left === 0 && this.#type === COMMAND_COMPLETE && this.#hasCursor) {
        this.#hasCursor = false;
        found ??= at;
      }
    }
    return found;
  }
}
