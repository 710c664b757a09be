import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { extname } from 'node:path/posix';
import { pipeline } from 'node:stream/promises';
import { Config } from '../../common/config/config.js';
import { OutgoingHttpError } from '../../common/http/outgoing-errors.js';
import {
  OutgoingStream,
  type OutgoingStreamRequest,
  type UpgradeAnswer,
} from '../../common/http/outgoing-stream.js';
import { gatewayHeaders } from '../client/gateway-headers.js';
import { ExAppLog } from '../apps/log/ex-app-log.js';
import { ConnectionEnds } from './connection-ends.js';
import { headersToApp, headersToBrowser, type Headers } from './proxied-headers.js';
import { locationForBrowser } from './proxied-location.js';
import { ProxyGate, type AdmittedProxyRequest } from './proxy-gate.js';

/** Framed by pages of the host alone. What else the app's pages may do is for the app to say. */
const PAGE_POLICY = "frame-ancestors 'self'";

const CACHE_SECONDS = 3600;

/** Changes with who looks, or while one looks. */
const NEVER_CACHED = /^(?:text\/html|text\/event-stream|application\/(?:json|.*\+json|x-tar))/i;

/** Carries requests that passed the gate to the app, and its answers back, both as they come. */
@Injectable()
export class ProxyForwarder {
  constructor(
    private readonly outgoing: OutgoingStream,
    private readonly gate: ProxyGate,
    private readonly ends: ConnectionEnds,
    private readonly config: Config,
    private readonly log: ExAppLog,
  ) {}

  /**
   * Answers 502 with nothing when the app cannot be reached. Breaks off, as if the connection were
   * lost, when the admitted ends in the middle.
   */
  async forward(
    admitted: AdmittedProxyRequest,
    request: Request,
    response: Response,
  ): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      const close = await this.ends.watch(admitted, () => response.destroy());
      // Who waited for a turn may have gone meanwhile.
      if (response.closed) {
        gone.abort();
      }
      await this.#exchange(admitted, request, response, gone.signal).finally(close);
    } finally {
      admitted.guess?.end();
    }
  }

  /** @returns null when the app cannot be reached */
  async upgrade(
    admitted: AdmittedProxyRequest,
    request: Request,
    signal: AbortSignal,
  ): Promise<UpgradeAnswer | null> {
    const outgoing = outgoingRequest(admitted, request, signal);
    const headers = { ...outgoing.headers, connection: 'Upgrade', upgrade: 'websocket' };
    return this.#orNull(admitted, signal, this.outgoing.upgrade({ ...outgoing, headers }));
  }

  /** Those of the app, with its own addresses in the browser's terms. */
  headersOf(answer: IncomingMessage, { app }: AdmittedProxyRequest): Headers {
    const headers = headersToBrowser(answer);
    const { location } = answer.headers;
    return location === undefined
      ? headers
      : { ...headers, location: locationForBrowser(location, app, this.config.baseUrl) };
  }

  async #exchange(
    admitted: AdmittedProxyRequest,
    request: Request,
    response: Response,
    gone: AbortSignal,
  ): Promise<void> {
    const answer = await this.#askApp(admitted, request, gone);
    if (answer === null) {
      response.status(502).end();
      return;
    }
    await this.gate.learn(admitted, request, answer.statusCode ?? 0);
    response.status(answer.statusCode ?? 502);
    // Said of our own answers; what becomes of the app's is for the app to say.
    response.removeHeader('Cache-Control');
    // Not Express's own way, which would complete content types.
    response.setHeaders(new Map(Object.entries(this.headersOf(answer, admitted))));
    complete(response, answer, admitted, request.method);
    response.flushHeaders();
    // Either side that breaks off takes the other along; there is nobody left to tell.
    await pipeline(answer, response).catch(() => answer.destroy());
  }

  #askApp(
    admitted: AdmittedProxyRequest,
    request: Request,
    signal: AbortSignal,
  ): Promise<IncomingMessage | null> {
    const outgoing = outgoingRequest(admitted, request, signal);
    const body = hasBody(request) ? { body: request } : {};
    return this.#orNull(admitted, signal, this.outgoing.open({ ...outgoing, ...body }));
  }

  async #orNull<Answer>(
    { app, address }: AdmittedProxyRequest,
    signal: AbortSignal,
    answer: Promise<Answer>,
  ): Promise<Answer | null> {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof OutgoingHttpError)) {
        throw error;
      }
      if (!signal.aborted) {
        this.log.warn(app.appId, `${address.path}: ${error.message}`);
      }
      return null;
    }
  }
}

function outgoingRequest(
  { app, address, account, route }: AdmittedProxyRequest,
  request: Request,
  signal: AbortSignal,
): OutgoingStreamRequest {
  const headers: Headers = {
    ...headersToApp(request, route.headersToExclude),
    'x-origin-ip': request.ip ?? '',
    'x-forwarded-for': request.ip ?? '',
    'x-forwarded-host': request.host ?? '',
    'x-forwarded-proto': request.protocol,
    ...gatewayHeaders(app, account?.userId ?? '', requestId(request)),
  };
  if (isChunked(request)) {
    headers['transfer-encoding'] = 'chunked';
  }
  return {
    baseUrl: app.baseUrl,
    path: `${address.path}${address.query}`,
    method: request.method,
    headers,
    signal,
  };
}

/** What the app left open. */
function complete(
  response: Response,
  answer: IncomingMessage,
  { address, route }: AdmittedProxyRequest,
  method: string,
): void {
  if (answer.headers['content-security-policy'] === undefined) {
    response.setHeader('Content-Security-Policy', PAGE_POLICY);
  }
  const extension = extname(address.plainPath);
  const isEmpty = answer.statusCode === 204 || answer.statusCode === 304;
  if (answer.headers['content-type'] === undefined && extension !== '' && !isEmpty) {
    response.type(extension);
  }
  const type = String(response.getHeader('Content-Type') ?? '');
  if (
    answer.headers['cache-control'] === undefined &&
    answer.statusCode === 200 &&
    (method === 'GET' || method === 'HEAD') &&
    !NEVER_CACHED.test(type)
  ) {
    const whose = route.accessLevel === 0 ? 'public' : 'private';
    response.setHeader('Cache-Control', `${whose}, max-age=${CACHE_SECONDS}`);
  }
}

function hasBody(request: Request): boolean {
  return (
    isChunked(request) || (!isRead(request) && request.headers['content-length'] !== undefined)
  );
}

function isChunked(request: Request): boolean {
  return !isRead(request) && request.headers['transfer-encoding'] !== undefined;
}

/** A body here is without meaning, and servers stumble over the announcement of one. */
function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

function requestId(request: Request): string {
  const id: unknown = Reflect.get(request, 'id');
  return typeof id === 'string' ? id : randomUUID();
}
