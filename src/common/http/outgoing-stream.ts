import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Duplex, Readable } from 'node:stream';
import { ConnectionFailed, explainFailure, type OutgoingHttpError } from './outgoing-errors.js';

/** A request whose body and answer are passed on as they come, for as long as it takes. */
export interface OutgoingStreamRequest {
  /** Entered by an administrator, never by a user or a publisher: no address is refused. */
  readonly baseUrl: string;
  /** Path and query below the base, sent byte by byte as they stand here. */
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Read no faster than the other side takes it. */
  readonly body?: Readable | string;
  /** Ends the exchange at any time. */
  readonly signal?: AbortSignal;
}

/** The other side's answer to an upgrade; without a socket it refused. */
export interface UpgradeAnswer {
  readonly response: IncomingMessage;
  readonly connection: { readonly socket: Duplex; readonly head: Buffer } | null;
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * A connection for each request: a kept one may be closed by the other side at the moment of use,
 * and a body that is on its way cannot be sent again. Announced as one to be kept all the same,
 * because servers that answer early break off others before all of the answer has been read.
 */
const CONNECTIONS = { keepAlive: true, maxFreeSockets: 0 } as const;

/**
 * The streaming side of the way out: for servers that the operator configured, with back-pressure
 * both ways, no limit of size or time once connected, no redirects followed and nothing decoded.
 * Whole answers from anywhere else are `OutgoingHttp`'s.
 */
@Injectable()
export class OutgoingStream implements OnApplicationShutdown {
  readonly #http = new http.Agent(CONNECTIONS);
  readonly #https = new https.Agent(CONNECTIONS);

  /**
   * Sends a request and answers as soon as the head of the answer is there. Who calls reads the
   * body, or destroys it.
   *
   * @throws OutgoingHttpError when there is no answer
   */
  open(request: OutgoingStreamRequest): Promise<IncomingMessage> {
    const outgoing = this.#begin(request);
    return new Promise((resolve, reject) => {
      outgoing.once('response', resolve);
      outgoing.on('error', (error) => reject(explained(error, request)));
      sendBody(outgoing, request.body);
    });
  }

  /**
   * Asks to go on in another protocol on the same connection.
   *
   * @throws OutgoingHttpError when there is no answer
   */
  upgrade(request: OutgoingStreamRequest): Promise<UpgradeAnswer> {
    const outgoing = this.#begin(request);
    return new Promise((resolve, reject) => {
      outgoing.once('upgrade', (response, socket, head) =>
        resolve({ response, connection: { socket, head } }),
      );
      outgoing.once('response', (response) => resolve({ response, connection: null }));
      outgoing.on('error', (error) => reject(explained(error, request)));
      outgoing.end();
    });
  }

  onApplicationShutdown(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #begin({ baseUrl, path, method, headers, signal }: OutgoingStreamRequest): ClientRequest {
    const base = new URL(baseUrl);
    const isSecure = base.protocol === 'https:';
    const outgoing = (isSecure ? https : http).request({
      protocol: base.protocol,
      hostname: base.hostname.replace(/^\[|\]$/g, ''),
      port: base.port,
      path: `${base.pathname.replace(/\/+$/, '')}${path}`,
      method,
      headers,
      agent: isSecure ? this.#https : this.#http,
      ...(signal && { signal }),
    });
    outgoing.once('socket', (socket) => {
      const timer = setTimeout(() => {
        outgoing.destroy(new ConnectionFailed(base.host, 'it did not accept the connection'));
      }, CONNECT_TIMEOUT_MS);
      const connected = () => clearTimeout(timer);
      socket.once('connect', connected).once('close', connected);
    });
    return outgoing;
  }
}

/** A server that answers before it has read everything must not cost the sender its connection. */
function sendBody(outgoing: ClientRequest, body: OutgoingStreamRequest['body']): void {
  if (body === undefined || typeof body === 'string') {
    outgoing.end(body);
    return;
  }
  // The other side may want to answer before there is anything of the body.
  outgoing.flushHeaders();
  body.pipe(outgoing);
  body.once('error', (error) => outgoing.destroy(error));
  outgoing.once('close', () => {
    body.unpipe(outgoing);
    body.resume();
  });
}

function explained(error: Error, { baseUrl }: OutgoingStreamRequest): OutgoingHttpError {
  return explainFailure(error, new URL(baseUrl).host);
}
