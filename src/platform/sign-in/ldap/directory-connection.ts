import { Client, type SearchOptions, type SearchResult } from 'ldapts';
import { readFile } from 'node:fs/promises';
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import tls from 'node:tls';
import type { LdapSettings } from './ldap.settings.js';

const CONNECT_MS = 5000;
const ANSWER_MS = 8000;

/** A connection to the directory, for a few requests. */
export type DirectoryConnection = Pick<Client, 'bind' | 'search' | 'searchPaginated'>;
export type { SearchOptions, SearchResult };

/**
 * Runs work on a connection of its own, encrypted as configured.
 *
 * @param longestMs after which the connection is closed and the work fails
 * @throws Error of the connection, of TLS, or of `work`
 */
export async function withDirectory<Result>(
  settings: LdapSettings,
  longestMs: number,
  work: (connection: DirectoryConnection) => Promise<Result>,
): Promise<Result> {
  const { url, startTls } = settings;
  const tlsOptions = await tlsOptionsOf(settings);
  const sockets: net.Socket[] = [];
  const client = new Client({
    url,
    connectTimeout: CONNECT_MS,
    timeout: ANSWER_MS,
    strictDN: false,
    ...(url.startsWith('ldaps:') && { tlsOptions }),
    ...connectingOnce(sockets),
  });
  const abort = new AbortController();
  const tooLong = pause(longestMs, undefined, { signal: abort.signal }).then(() => {
    throw new Error(`the directory did not answer within ${longestMs / 1000} s`);
  });
  tooLong.catch(() => {});
  const carriedOut = (async () => {
    if (startTls && url.startsWith('ldap:')) {
      await client.startTLS(tlsOptions);
    }
    return work(client);
  })();
  carriedOut.catch(() => {});
  try {
    return await Promise.race([carriedOut, tooLong]);
  } finally {
    abort.abort();
    await client.unbind().catch(() => {});
    sockets.forEach((socket) => socket.destroy());
  }
}

/**
 * The client connects anew when the connection was closed, but without TLS and anonymously. A password must
 * not be sent like that, so a second connection fails.
 */
function connectingOnce(sockets: net.Socket[]) {
  const once = (): void => {
    if (sockets.length > 0) {
      throw new Error('the directory closed the connection');
    }
  };
  const createConnection = ((...given: Parameters<typeof net.connect>) => {
    once();
    const socket = net.connect(...given);
    sockets.push(socket);
    return socket;
  }) as typeof net.connect;
  const createSecureConnection = ((...given: unknown[]) => {
    const [options] = given as [tls.ConnectionOptions];
    // StartTLS continues on the existing socket.
    if (typeof options !== 'object' || options.socket === undefined) {
      once();
    }
    const socket = (tls.connect as (...all: unknown[]) => tls.TLSSocket)(...given);
    sockets.push(socket);
    return socket;
  }) as typeof tls.connect;
  return { createConnection, createSecureConnection };
}

/** The file is read for each connection, so that a renewed one counts. */
async function tlsOptionsOf({ url, caFile }: LdapSettings): Promise<tls.ConnectionOptions> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    ...(net.isIP(host) === 0 && { servername: host }),
    ...(caFile !== undefined && { ca: await readFile(caFile, 'utf8') }),
  };
}
