import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Counter } from 'prom-client';
import { OutgoingHttpError } from '../../../common/http/outgoing-errors.js';
import { OutgoingHttp } from '../../../common/http/outgoing-http.js';
import { OutgoingStream } from '../../../common/http/outgoing-stream.js';
import { Metrics } from '../../../common/metrics/metrics.js';
import { traceHeaders } from '../../../common/tracing/spans.js';
import { ExAppUnreachable } from '../../app-api.errors.js';
import { ExAppsRepository, type ExApp } from '../ex-apps.repository.js';
import { ExAppLog } from '../log/ex-app-log.service.js';
import { credentialsHint, type ExAppAnswer } from './ex-app-answer.js';
import { gatewayHeaders, withEitherSecret } from './gateway-headers.js';

const DEFAULT_TIMEOUT_SECONDS = 3;
/** Many responses are read at the same time; limits the memory an app can use. */
const DEFAULT_MAX_ANSWER_BYTES = 1024 * 1024;

export interface ExAppRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to the app's root; a leading slash is optional. */
  readonly route: string;
  /** The acting user; empty for requests of the gateway itself. */
  readonly userId?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Body sent as JSON unless there is a `body`. */
  readonly json?: unknown;
  readonly body?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Limit for the whole exchange; default 3. */
  readonly timeoutSeconds?: number;
  /** Default 1 MiB. A larger response counts as an error. */
  readonly maxAnswerBytes?: number;
  readonly requestId?: string;
  readonly signal?: AbortSignal;
}

/** A request with a streamed body. */
export interface ExAppUpload extends Pick<ExAppRequest, 'route' | 'userId' | 'query'> {
  readonly body: Readable;
  readonly bodyBytes: number;
  readonly contentType: string;
  readonly timeoutSeconds: number;
}

const OUTCOMES = ['2xx', '3xx', '4xx', '5xx', 'unreachable'];

/** Calls external apps. A response of any status is returned; only a missing one throws. */
@Injectable()
export class ExAppClient {
  readonly #counter = new Counter({
    name: 'gatefold_app_calls_total',
    help: 'Calls of external apps by class of the status; unreachable: there was no answer.',
    labelNames: ['status'],
    registers: [],
  });

  constructor(
    private readonly outgoing: OutgoingHttp,
    private readonly streams: OutgoingStream,
    private readonly log: ExAppLog,
    private readonly apps: ExAppsRepository,
    { registry }: Metrics,
  ) {
    registry.registerMetric(this.#counter);
    OUTCOMES.forEach((status) => this.#counter.inc({ status }, 0));
  }

  /** @throws ExAppUnreachable with the address and the cause */
  async send(app: ExApp, request: ExAppRequest): Promise<ExAppAnswer> {
    return this.#authenticated(app, request);
  }

  /**
   * As `send`, but ignores the body of the response, which may be too large or endless.
   *
   * @throws ExAppUnreachable
   */
  async tell(app: ExApp, request: ExAppRequest): Promise<number> {
    const { status } = await this.#authenticated(app, request, true);
    return status;
  }

  /**
   * Streams a body.
   *
   * @returns the status; the body of the response is ignored
   * @throws ExAppUnreachable
   */
  async upload(app: ExApp, upload: ExAppUpload): Promise<number> {
    const { route, query, userId = '', body, bodyBytes, contentType, timeoutSeconds } = upload;
    const address = new URL(addressOf(app, route, query));
    try {
      const answer = await this.streams.open({
        baseUrl: address.origin,
        path: `${address.pathname}${address.search}`,
        method: 'POST',
        headers: {
          accept: 'application/json',
          'accept-language': 'en',
          'content-type': contentType,
          'content-length': String(bodyBytes),
          ...gatewayHeaders(app, userId, randomUUID()),
        },
        body,
        signal: AbortSignal.timeout(timeoutSeconds * 1000),
      });
      // Drain it: an app that responds early is still reading the request.
      answer.on('error', () => {}).resume();
      const status = answer.statusCode ?? 0;
      this.#count(status);
      if (status >= 400) {
        body.destroy();
      }
      return status;
    } catch (error) {
      body.destroy();
      this.#count(null);
      throw asUnreachable(error, app, 'POST', withoutQuery(address.href));
    }
  }

  /** The only request without credentials. */
  async heartbeat(app: ExApp, timeoutSeconds?: number): Promise<ExAppAnswer> {
    return this.#exchange(
      app,
      { method: 'GET', route: 'heartbeat', ...(timeoutSeconds && { timeoutSeconds }) },
      { accept: 'application/json', 'content-type': 'application/json' },
    );
  }

  #count(status: number | null): void {
    const label = status === null ? 'unreachable' : `${Math.floor(status / 100)}xx`;
    this.#counter.inc({ status: label });
  }

  async #authenticated(
    app: ExApp,
    request: ExAppRequest,
    discardsBody = false,
  ): Promise<ExAppAnswer> {
    const answer = await withEitherSecret(this.apps, app, {
      send: (secret) => this.#exchange(app, request, headersOf(app, request, secret), discardsBody),
      statusOf: ({ status }) => status,
    });
    if (answer.status === 401) {
      const url = withoutQuery(addressOf(app, request.route));
      this.log.warnOnce(app.appId, `answered ${url} with 401. ${credentialsHint(app.appId)}`);
    }
    return answer;
  }

  async #exchange(
    app: ExApp,
    request: ExAppRequest,
    headers: Record<string, string>,
    discardsBody = false,
  ): Promise<ExAppAnswer> {
    const url = addressOf(app, request.route, request.query);
    const { maxAnswerBytes = DEFAULT_MAX_ANSWER_BYTES } = request;
    const body =
      request.body ?? (request.json === undefined ? undefined : JSON.stringify(request.json));
    const type = request.json === undefined ? {} : { 'content-type': 'application/json' };
    try {
      const answer = await this.outgoing.request({
        url,
        method: request.method,
        headers: { ...type, ...traceHeaders(), ...headers },
        timeoutSeconds: request.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
        maxWireBytes: maxAnswerBytes,
        maxDecodedBytes: maxAnswerBytes,
        discardsBody,
        maxRedirects: 0,
        addressPolicy: 'operator-configured',
        direct: true,
        ...(body !== undefined && { body }),
        ...(request.signal && { signal: request.signal }),
      });
      this.#count(answer.status);
      return { status: answer.status, headers: answer.headers, body: Buffer.from(answer.body) };
    } catch (error) {
      this.#count(null);
      throw asUnreachable(error, app, request.method, withoutQuery(url));
    }
  }
}

function headersOf(app: ExApp, request: ExAppRequest, secret: string): Record<string, string> {
  const { userId = '', requestId = randomUUID(), headers = {} } = request;
  return {
    accept: 'application/json',
    'accept-language': 'en',
    ...headers,
    ...gatewayHeaders(app, userId, requestId, secret),
  };
}

function asUnreachable(error: unknown, app: ExApp, method: string, address: string): unknown {
  return error instanceof OutgoingHttpError
    ? new ExAppUnreachable(app.name, `${method} ${address}: ${error.message}`, { cause: error })
    : error;
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
