import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { OutgoingHttp, type OutgoingAnswer } from '../../common/http/outgoing-http.js';
import { OutgoingHttpError } from '../../common/http/outgoing-errors.js';
import { ExAppUnreachable } from '../app-api.errors.js';
import type { ExApp } from '../store/ex-apps.repository.js';
import { gatewayHeaders } from './gateway-headers.js';

const DEFAULT_TIMEOUT_SECONDS = 3;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface ExAppRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to the app's root; a leading slash is optional. */
  readonly route: string;
  /** The acting user; empty for the gateway's own business. */
  readonly userId?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON; `body` goes before it. */
  readonly json?: unknown;
  readonly body?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** For the whole exchange; default 3. */
  readonly timeoutSeconds?: number;
  readonly requestId?: string;
  readonly signal?: AbortSignal;
}

export interface ExAppAnswer {
  readonly status: number;
  readonly headers: OutgoingAnswer['headers'];
  readonly body: Buffer;
}

/** Calls external apps and reads whole answers. Every status is an answer; only silence is not. */
@Injectable()
export class ExAppClient {
  constructor(private readonly outgoing: OutgoingHttp) {}

  /** @throws ExAppUnreachable with the address tried and what happened */
  async send(app: ExApp, request: ExAppRequest): Promise<ExAppAnswer> {
    const { userId = '', requestId = randomUUID(), headers = {} } = request;
    return this.#exchange(app, request, {
      accept: 'application/json',
      'accept-language': 'en',
      ...headers,
      ...gatewayHeaders(app, userId, requestId),
    });
  }

  /** Asks for a sign of life. The one request that carries no credentials. */
  async heartbeat(app: ExApp, timeoutSeconds?: number): Promise<ExAppAnswer> {
    return this.#exchange(
      app,
      { method: 'GET', route: 'heartbeat', ...(timeoutSeconds && { timeoutSeconds }) },
      { accept: 'application/json', 'content-type': 'application/json' },
    );
  }

  async #exchange(
    app: ExApp,
    request: ExAppRequest,
    headers: Record<string, string>,
  ): Promise<ExAppAnswer> {
    const url = addressOf(app, request.route, request.query);
    const body =
      request.body ?? (request.json === undefined ? undefined : JSON.stringify(request.json));
    const type = request.json === undefined ? {} : { 'content-type': 'application/json' };
    try {
      const answer = await this.outgoing.request({
        url,
        method: request.method,
        headers: { ...type, ...headers },
        timeoutSeconds: request.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
        maxWireBytes: MAX_ANSWER_BYTES,
        maxDecodedBytes: MAX_ANSWER_BYTES,
        maxRedirects: 0,
        addressPolicy: 'operator-configured',
        ...(body !== undefined && { body }),
        ...(request.signal && { signal: request.signal }),
      });
      return { status: answer.status, headers: answer.headers, body: Buffer.from(answer.body) };
    } catch (error) {
      if (error instanceof OutgoingHttpError) {
        throw new ExAppUnreachable(`${request.method} ${withoutQuery(url)}: ${error.message}`);
      }
      throw error;
    }
  }
}

/** The absolute address of an app's route. */
export function addressOf(
  app: Pick<ExApp, 'baseUrl'>,
  route: string,
  query: Readonly<Record<string, string>> = {},
): string {
  const url = new URL(`${app.baseUrl}/${route.replace(/^\/+/, '')}`);
  for (const [name, value] of Object.entries(query)) {
    url.searchParams.append(name, value);
  }
  return url.href;
}

function withoutQuery(url: string): string {
  return url.split('?', 1)[0] ?? url;
}
