import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request } from 'express';
import { Server, STATUS_CODES, type IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BASIC_CHALLENGE } from '../../common/auth/basic-authenticator.js';
import { Config } from '../../common/config/config.js';
import { describeFailure } from '../../common/errors/failure.js';
import { networkOf } from '../../common/http/client-network.js';
import { OpenRequests } from '../../common/http/open-requests.js';
import { plainAddress } from '../../common/http/plain-address.js';
import { faultOfTarget } from '../../common/http/request-target.js';
import { Shares } from '../../common/http/shares.js';
import { whenClosed } from '../../common/http/when-closed.js';
import { ConnectionEnds } from './connection-ends.service.js';
import type { Headers } from './proxied-headers.js';
import { readProxyAddress } from './proxy-address.js';
import { ProxyForwarder } from './proxy-forwarder.service.js';
import { ProxyGate, type AdmittedProxyRequest } from './proxy-gate.service.js';

const KEEP_ALIVE_MS = 30_000;

/** Proxies WebSockets to apps, with the addresses and rules of the browser proxy. */
@Injectable()
export class ProxyUpgrades implements OnApplicationBootstrap {
  readonly #logger = new Logger('Proxy');

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly gate: ProxyGate,
    private readonly forwarder: ProxyForwarder,
    private readonly config: Config,
    private readonly ends: ConnectionEnds,
    private readonly shares: Shares,
    private readonly requests: OpenRequests,
  ) {}

  onApplicationBootstrap(): void {
    const server: unknown = this.adapterHost.httpAdapter?.getHttpServer();
    // Commands run without a server.
    if (!(server instanceof Server)) {
      return;
    }
    // Without this callback, a server with a listener treats every `Upgrade` header as ours, and HTTP
    // libraries offer HTTP/2 with ordinary requests.
    if (!('shouldUpgradeCallback' in server)) {
      this.#logger.warn('WebSockets to external apps need Node.js 22.21 or newer.');
      return;
    }
    server.shouldUpgradeCallback = (request: IncomingMessage) => this.#isOurs(request);
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.#serve(this.#asRequest(request), socket, head);
    });
  }

  #isOurs({ method, headers, url = '' }: IncomingMessage): boolean {
    return (
      method === 'GET' &&
      headers.upgrade?.toLowerCase() === 'websocket' &&
      this.#isAddressOfApp(plainAddress(url, this.config.baseUrl))
    );
  }

  #isAddressOfApp(address: string): boolean {
    return faultOfTarget(address, () => true) === null && readProxyAddress(address) !== null;
  }

  /** An Express request, with its plain address and the client address behind proxies. */
  #asRequest(raw: IncomingMessage): Request {
    const application: unknown = this.adapterHost.httpAdapter.getInstance();
    const { request: prototype } = application as { readonly request: Request };
    const request = Object.setPrototypeOf(raw, prototype) as Request;
    request.originalUrl = request.url;
    request.url = plainAddress(request.url, this.config.baseUrl);
    return request;
  }

  async #serve(request: Request, socket: Duplex, head: Buffer): Promise<void> {
    const gone = new AbortController();
    let admitted: AdmittedProxyRequest | undefined;
    socket.once('close', () => gone.abort());
    // An error without any listener would end the process.
    socket.on('error', () => gone.abort());
    try {
      this.requests.beginUntilClosed(request, socket);
      this.requests.toApp(request, readProxyAddress(request.url)?.appId ?? '');
      admitted = await this.gate.admit(request);
      const owner = admitted.account?.userId ?? `guest at ${networkOf(request.ip ?? '')}`;
      const done = this.shares.take('websockets', owner);
      whenClosed(socket, done);
      this.requests.end(request);
      await this.#endWith(admitted, socket);
      const stopWatching = watchEnd(socket, () => gone.abort());
      const answer = await this.forwarder.upgrade(admitted, request, gone.signal);
      stopWatching();
      if (answer === null) {
        refuse(socket, 502);
        return;
      }
      const { response, connection } = answer;
      const headers = this.forwarder.headersOf(response, admitted, request);
      await this.gate.learn(admitted, request, response.statusCode ?? 0);
      if (connection === null) {
        socket.write(headOf(response.statusCode ?? 502, { ...headers, connection: 'close' }));
        await pipeline(response, socket);
        return;
      }
      keepOpen(socket);
      keepOpen(connection.socket);
      socket.write(headOf(101, { ...headers, connection: 'Upgrade', upgrade: 'websocket' }));
      socket.write(connection.head);
      connection.socket.write(head);
      await Promise.all([pipeline(socket, connection.socket), pipeline(connection.socket, socket)]);
    } catch (error) {
      this.#end(error, socket);
    } finally {
      admitted?.guess?.end();
    }
  }

  async #endWith(admitted: AdmittedProxyRequest, socket: Duplex): Promise<void> {
    whenClosed(socket, await this.ends.watch(admitted, () => socket.destroy()));
  }

  /** A lost connection is the normal end. */
  #end(error: unknown, socket: Duplex): void {
    if (socket.destroyed) {
      return;
    }
    const { status, unexpected } = describeFailure(error);
    if (unexpected) {
      this.#logger.error(`WebSocket failed: ${String(error)}`);
    }
    refuse(socket, status);
  }
}

function refuse(socket: Duplex, status: number): void {
  const challenge: Headers = status === 401 ? { 'www-authenticate': BASIC_CHALLENGE } : {};
  socket.end(headOf(status, { ...challenge, connection: 'close', 'content-length': '0' }));
}

function headOf(status: number, headers: Headers): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}\r\n`),
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`;
}

/**
 * Calls back when the other side ends the connection. Node.js notices that only while a socket is read, so it
 * is read into its buffer, which is bounded and not lost.
 *
 * @returns stops watching
 */
function watchEnd(socket: Duplex, onEnd: () => void): () => void {
  const look = () => void socket.read(0);
  socket.on('readable', look).once('end', onEnd);
  return () => void socket.off('readable', look).off('end', onEnd);
}

function keepOpen(socket: Duplex): void {
  if (socket instanceof Socket) {
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
  }
}
