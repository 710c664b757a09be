import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ExAppsRepository } from '../../src/app-api/apps/ex-apps.repository.js';
import { ApiClient, type Answer, type CallOptions } from './api-client.js';
import type { TestApp } from './start-app.js';
import { within } from './until.js';

/** A request of the gateway. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The raw body. */
  readonly body: Buffer;
  /** The acting user from the credentials; empty for requests of the gateway itself. */
  readonly userId: string;
  /** Whether the credentials are those of this app. */
  readonly authenticated: boolean;
}

export type Handler = (request: ReceivedRequest, response: ServerResponse) => Promise<void> | void;

/** An external app that uses the protocol like the SDK. */
export interface ExternalApp {
  readonly appId: string;
  readonly secret: string;
  readonly version: string;
  /** The root of its routes. */
  readonly baseUrl: string;
  readonly server: Server;
  /** Sets the handler of a path, for instance `/translate`; overwrites the previous one. */
  on(path: string, handler: Handler): void;
  /** Requests for a path in the order of their arrival. */
  requests(path: string): readonly ReceivedRequest[];
  /** Resolves with the nth request for a path, counted from 1, as soon as it has arrived. */
  received(path: string, nth?: number): Promise<ReceivedRequest>;
  /** Calls the gateway like an app: with `Accept` for JSON and credentials. */
  as(userId?: string): GatewayCaller;
  close(): Promise<void>;
}

export class GatewayCaller {
  readonly #api: ApiClient;

  constructor(
    gatewayUrl: string,
    readonly headers: Readonly<Record<string, string>>,
  ) {
    this.#api = new ApiClient(gatewayUrl);
  }

  /** @param path below the gateway's root, for instance `/ocs/v1.php/apps/app_api/api/v1/log` */
  call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    return this.#api.call(method, path, {
      ...options,
      headers: { ...this.headers, ...options.headers },
    });
  }

  /** The `ocs` part of a response below `/ocs/v1.php/apps/app_api`. */
  async ocs(method: string, path: string, options: CallOptions = {}): Promise<OcsAnswer> {
    const answer = await this.call(method, `/ocs/v1.php/apps/app_api${path}`, {
      ...options,
      query: { format: 'json', ...options.query },
    });
    return toOcs(answer);
  }
}

export interface OcsAnswer {
  readonly httpStatus: number;
  readonly statuscode: number;
  readonly status: string;
  readonly message: string;
  readonly data: unknown;
}

export function toOcs({ status, json }: Answer): OcsAnswer {
  const { ocs } = json as {
    ocs: { meta: { status: string; statuscode: number; message: string }; data: unknown };
  };
  return { httpStatus: status, ...ocs.meta, data: ocs.data };
}

interface Options {
  readonly appId: string;
  readonly secret?: string;
  readonly version?: string;
}

/** Starts an app on a free port. It answers `/heartbeat`, `/init` and `/enabled` with success. */
export async function startExternalApp(
  gateway: Pick<TestApp, 'url'>,
  { appId, secret = `secret:of ${appId}`, version = '1.0.0' }: Options,
): Promise<ExternalApp> {
  const handlers = new Map<string, Handler>();
  const received: ReceivedRequest[] = [];
  const waiting = new Set<() => void>();
  const sockets = new Set<Socket>();

  const server = createServer((request, response) => {
    const url = new URL(`http://app${request.url ?? '/'}`);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [userId = '', ...rest] = credentialsOf(request.headers).split(':');
      const seen: ReceivedRequest = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: Buffer.concat(chunks),
        userId,
        authenticated: request.headers['ex-app-id'] === appId && rest.join(':') === secret,
      };
      received.push(seen);
      for (const check of waiting) {
        check();
      }
      const handler = handlers.get(url.pathname) ?? notFound;
      Promise.resolve(handler(seen, response)).catch(() => response.destroy());
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  handlers.set('/heartbeat', json({ status: 'ok' }));
  handlers.set('/init', json({}));
  handlers.set('/enabled', json({ error: '' }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const requests = (path: string) => received.filter((request) => request.path === path);
  return {
    appId,
    secret,
    version,
    baseUrl: `http://127.0.0.1:${port}`,
    server,
    on: (path, handler) => void handlers.set(path, handler),
    requests,
    async received(path, nth = 1) {
      const { promise, resolve } = Promise.withResolvers<ReceivedRequest>();
      const check = () => {
        const request = requests(path)[nth - 1];
        if (request !== undefined) {
          resolve(request);
        }
      };
      waiting.add(check);
      check();
      try {
        return await within(`request ${nth} for ${path} of ${appId}`, promise);
      } finally {
        waiting.delete(check);
      }
    },
    as: (userId = '') =>
      new GatewayCaller(gateway.url, {
        'aa-version': '2.2.0',
        'ex-app-id': appId,
        'ex-app-version': version,
        'authorization-app-api': Buffer.from(`${userId}:${secret}`).toString('base64'),
        'ocs-apirequest': 'true',
        accept: 'application/json',
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) {
          socket.destroy();
        }
      }),
  };
}

/** Stores an app as registered and enabled, without its lifecycle. */
export async function knowApp(
  gateway: Pick<TestApp, 'inside'>,
  app: ExternalApp,
  enabled = true,
): Promise<void> {
  const apps = gateway.inside(ExAppsRepository);
  await apps.create({
    appId: app.appId,
    name: `App ${app.appId}`,
    version: app.version,
    daemonName: null,
    baseUrl: app.baseUrl,
    secret: app.secret,
    status: { deploy: 100, init: 100, action: '', type: '', error: '' },
    isSystem: false,
  });
  await apps.setEnabled(app.appId, enabled);
}

/** A handler that answers with JSON. */
export function json(body: unknown, status = 200): Handler {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}

const notFound = json({ error: 'no such route' }, 404);

function credentialsOf(headers: IncomingHttpHeaders): string {
  const header = headers['authorization-app-api'];
  return typeof header === 'string' ? Buffer.from(header, 'base64').toString('utf8') : '';
}
