import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Duplex, Readable } from 'node:stream';
import { requestAttributes } from '../tracing/request-attributes.js';
import { tracedCall } from '../tracing/spans.js';
import {
  ConnectionFailed,
  explainFailure,
  RequestTimedOut,
  type OutgoingHttpError,
} from './outgoing-errors.js';
import { SilentServers } from './silent-servers.js';

/** A request with streamed body and response, for as long as `StreamTimes` allow. */
export interface OutgoingStreamRequest {
  /** Configured by an administrator, never by a user or publisher: all addresses are allowed. */
  readonly baseUrl: string;
  /** Path and query below the base, sent unchanged. */
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Read with back-pressure. */
  readonly body?: Readable | string;
  /** Aborts the request at any time. */
  readonly signal?: AbortSignal;
}

/** Response to an upgrade; without a socket if rejected. */
export interface UpgradeAnswer {
  readonly response: IncomingMessage;
  readonly connection: { readonly socket: Duplex; readonly head: Buffer } | null;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** When an exchange ends although both sides keep it open. */
@Injectable()
export class StreamTimes {
  /** Without a byte in either direction, also because the reader takes none. */
  readonly silentMs: number = 3_600_000;
  /** Of an upgraded connection; some are quiet for hours. */
  readonly silentUpgradedMs: number = 86_400_000;
  /** Of the whole exchange; upgraded connections have no such limit. */
  readonly wholeMs: number = 86_400_000;
}

/**
 * One connection per request: the server may close a reused one at the moment of use, and a
 * streamed body cannot be sent again. Still sent as keep-alive, because servers that respond early
 * close other connections before the whole response has been read.
 */
const CONNECTIONS = { keepAlive: true, maxFreeSockets: 0 } as const;

/**
 * Streaming HTTP client for servers that the operator configured: back-pressure in both directions,
 * no limit of size, hours of time, no redirects, no decoding. For all other requests use `OutgoingHttp`.
 */
@Injectable()
export class OutgoingStream implements OnApplicationShutdown {
  readonly #http = new http.Agent(CONNECTIONS);
  readonly #https = new https.Agent(CONNECTIONS);

  constructor(
    private readonly servers: SilentServers,
    private readonly times: StreamTimes,
  ) {}

  /**
   * Sends a request, and resolves with the response headers. The caller must read or destroy the
   * body.
   *
   * @throws OutgoingHttpError without a response
   */
  open(request: OutgoingStreamRequest): Promise<IncomingMessage> {
    const { method, baseUrl } = request;
    return tracedCall(method, requestAttributes(method, baseUrl), async (span) => {
      const answer = await this.servers.ask(new URL(baseUrl).host, () => this.#open(request));
      span?.setAttribute('http.response.status_code', answer.statusCode ?? 0);
      return answer;
    });
  }

  #open(request: OutgoingStreamRequest): Promise<IncomingMessage> {
    const outgoing = this.#begin(request);
    return new Promise((resolve, reject) => {
      outgoing.once('response', resolve);
      outgoing.on('error', (error) => reject(explained(error, request)));
      sendBody(outgoing, request.body);
    });
  }

  /**
   * Requests a protocol upgrade.
   *
   * @throws OutgoingHttpError without a response
   */
  upgrade(request: OutgoingStreamRequest): Promise<UpgradeAnswer> {
    const outgoing = this.#begin(request);
    return new Promise((resolve, reject) => {
      outgoing.once('upgrade', (response, socket, head) => {
        socket.setTimeout(this.times.silentUpgradedMs, () => socket.destroy());
        resolve({ response, connection: { socket, head } });
      });
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
      maxHeaderSize: 64 * 1024, // Some apps send long policies.
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
    this.#limit(outgoing, base.host);
    return outgoing;
  }

  #limit(outgoing: ClientRequest, host: string): void {
    const { silentMs, wholeMs } = this.times;
    const end = (ms: number) => outgoing.destroy(new RequestTimedOut(host, ms / 1000));
    const timer = setTimeout(() => end(wholeMs), wholeMs);
    timer.unref();
    outgoing.setTimeout(silentMs, () => end(silentMs));
    outgoing.once('close', () => clearTimeout(timer));
  }
}

/** A server that responds before it has read the body must not break the sender's connection. */
function sendBody(outgoing: ClientRequest, body: OutgoingStreamRequest['body']): void {
  if (body === undefined || typeof body === 'string') {
    outgoing.end(body);
    return;
  }
  // The server may respond before the body begins.
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
