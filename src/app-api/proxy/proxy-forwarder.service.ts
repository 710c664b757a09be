import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { extname } from 'node:path/posix';
import { pipeline } from 'node:stream/promises';
import { Config } from '../../common/config/config.js';
import { OpenRequests } from '../../common/http/open-requests.js';
import { OutgoingHttpError } from '../../common/http/outgoing-errors.js';
import {
  OutgoingStream,
  type OutgoingStreamRequest,
  type UpgradeAnswer,
} from '../../common/http/outgoing-stream.js';
import { streamOfBody } from '../../common/http/read-bounded-body.js';
import { whenClosed } from '../../common/http/when-closed.js';
import { gatewayHeaders, withEitherSecret } from '../apps/client/gateway-headers.js';
import { ExAppsRepository } from '../apps/ex-apps.repository.js';
import { ExAppLog } from '../apps/log/ex-app-log.service.js';
import { ConnectionEnds } from './connection-ends.service.js';
import {
  type Headers,
  headersToApp,
  headersToBrowser,
  locationForBrowser,
  privateCaching,
  rootForBrowser,
} from './proxied-headers.js';
import { ProxyGate, type AdmittedProxyRequest } from './proxy-gate.service.js';

/** Only pages of the host may embed pages of apps; apps may send a stricter policy. */
const PAGE_POLICY = "frame-ancestors 'self'";

const CACHE_SECONDS = 3600;

/** Content that differs per user or is streamed. */
const NEVER_CACHED = /^(?:text\/html|text\/event-stream|application\/(?:json|.*\+json|x-tar))/i;

/** Streams admitted requests to the app, and its responses back. */
@Injectable()
export class ProxyForwarder {
  constructor(
    private readonly outgoing: OutgoingStream,
    private readonly gate: ProxyGate,
    private readonly ends: ConnectionEnds,
    private readonly config: Config,
    private readonly log: ExAppLog,
    private readonly apps: ExAppsRepository,
    private readonly requests: OpenRequests,
  ) {}

  /**
   * Responds with an empty 502 if the app cannot be reached. Closes the connection if access is revoked
   * in the middle.
   */
  async forward(
    admitted: AdmittedProxyRequest,
    request: Request,
    response: Response,
  ): Promise<void> {
    const gone = new AbortController();
    whenClosed(response, () => gone.abort());
    try {
      const close = await this.ends.watch(admitted, () => response.destroy());
      await this.#exchange(admitted, request, response, gone.signal).finally(close);
    } finally {
      admitted.guess?.end();
    }
  }

  /** @returns null if the app cannot be reached */
  async upgrade(
    admitted: AdmittedProxyRequest,
    request: Request,
    signal: AbortSignal,
  ): Promise<UpgradeAnswer | null> {
    const outgoing = outgoingRequest(admitted, request, signal);
    const headers = { ...outgoing.headers, connection: 'Upgrade', upgrade: 'websocket' };
    return this.#orNull(admitted, signal, this.outgoing.upgrade({ ...outgoing, headers }));
  }

  /** The app's headers, with its redirects and the paths of its cookies rewritten to the proxy. */
  headersOf(
    answer: IncomingMessage,
    { app, address }: AdmittedProxyRequest,
    { originalUrl }: Pick<Request, 'originalUrl'>,
  ): Headers {
    const { baseUrl } = this.config;
    const headers = headersToBrowser(answer, rootForBrowser(originalUrl, address, baseUrl));
    const { location } = answer.headers;
    return location === undefined
      ? headers
      : {
          ...headers,
          location: locationForBrowser(location, app, address.root, baseUrl),
        };
  }

  async #exchange(
    admitted: AdmittedProxyRequest,
    request: Request,
    response: Response,
    gone: AbortSignal,
  ): Promise<void> {
    const answer = await this.#askApp(admitted, request, gone);
    if (answer === null) {
      this.requests.unanswered(request, admitted.app.appId);
      response.status(502).end();
      return;
    }
    this.requests.answered(admitted.app.appId);
    await this.gate.learn(admitted, request, answer.statusCode ?? 0);
    response.status(answer.statusCode ?? 502);
    // The default of our own responses; the app decides for its responses.
    response.removeHeader('Cache-Control');
    // Bypasses `response.set`, which would complete content types.
    const headers = this.headersOf(answer, admitted, request);
    response.removeHeader('Content-Security-Policy');
    response.setHeaders(new Map(Object.entries(headers)));
    complete(response, answer, admitted, request.method);
    response.flushHeaders();
    // If either side disconnects, the other is closed; no one is left to answer.
    await pipeline(answer, response).catch(() => answer.destroy());
  }

  #askApp(
    admitted: AdmittedProxyRequest,
    request: Request,
    signal: AbortSignal,
  ): Promise<IncomingMessage | null> {
    const { app } = admitted;
    const send = (secret?: string) => {
      const outgoing = outgoingRequest(admitted, request, signal, secret);
      const body = hasBody(request) ? { body: streamOfBody(request) } : {};
      return this.#orNull(admitted, signal, this.outgoing.open({ ...outgoing, ...body }));
    };
    // A body is sent once, because it is not kept.
    return hasBody(request)
      ? send()
      : withEitherSecret(this.apps, app, {
          send,
          statusOf: (answer) => answer?.statusCode,
          discard: (refusal) => refusal?.destroy(),
        });
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
  { app, address, path, account, route }: AdmittedProxyRequest,
  request: Request,
  signal: AbortSignal,
  secret?: string,
): OutgoingStreamRequest {
  const headers: Headers = {
    ...headersToApp(request, route.headersToExclude),
    'x-origin-ip': request.ip ?? '',
    'x-forwarded-for': request.ip ?? '',
    'x-forwarded-host': request.host ?? '',
    'x-forwarded-proto': request.protocol,
    ...gatewayHeaders(app, account?.userId ?? '', requestId(request), secret),
  };
  if (isChunked(request)) {
    headers['transfer-encoding'] = 'chunked';
  }
  return {
    baseUrl: app.baseUrl,
    path: `${path}${address.query}`,
    method: request.method,
    headers,
    signal,
  };
}

/** Adds headers that the app did not send. */
function complete(
  response: Response,
  answer: IncomingMessage,
  { account, address, policy }: AdmittedProxyRequest,
  method: string,
): void {
  // Browsers obey all of several policies.
  const ofApp = response.getHeader('Content-Security-Policy') ?? [];
  const policies = [ofApp, policy ?? PAGE_POLICY].flat().map(String);
  response.setHeader('Content-Security-Policy', policies);
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
    response.setHeader('Cache-Control', `public, max-age=${CACHE_SECONDS}`);
  }
  // The app knows the user, so others must not get this response.
  if (account !== undefined) {
    const given = String(response.getHeader('Cache-Control') ?? '');
    response.setHeader('Cache-Control', privateCaching(given));
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

/** Never forwards bodies of GET and HEAD, which some servers reject. */
function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

function requestId(request: Request): string {
  const id: unknown = Reflect.get(request, 'id');
  return typeof id === 'string' ? id : randomUUID();
}
