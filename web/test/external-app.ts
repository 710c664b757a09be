import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Service } from './service.js';

export interface AppRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly userId: string;
  readonly body: string;
}

type Route = (request: AppRequest, response: ServerResponse) => void;

/** An external app with routes chosen by a test. */
export interface ExternalApp {
  readonly appId: string;
  readonly baseUrl: string;
  readonly secret: string;
  /** Requests in order, without lifecycle calls of the gateway. */
  readonly requests: readonly AppRequest[];
  /** Calls a route below the gateway's `/api/v1`. @returns the data of the answer */
  announce(path: string, body: unknown, method?: 'POST' | 'PUT' | 'DELETE'): Promise<unknown>;
  close(): Promise<void>;
  /** Serves again at the same address, after `close`. */
  open(): Promise<void>;
}

/** Declares all paths reachable for users. */
export const OPEN_TO_USERS = [
  { url: '.*', verb: 'GET,POST,PUT,DELETE', access_level: 'USER' },
] as const;

/** Routes of apps with a page: its icon, and one that tells who wrote what. */
export const ICON_AND_NOTES: Readonly<Record<string, Route>> = {
  'GET /img/app.svg': answer(
    'image/svg+xml',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 4h8v4H0z"/></svg>',
  ),
  'POST /api/notes': ({ userId, body }, response) => {
    const { note } = JSON.parse(body) as { note: string };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ said: `${userId} wrote ${note}` }));
  },
};

/**
 * Starts an app, registered and enabled.
 *
 * @param routes by method and path, for example `GET /js/main.js`
 * @param declared the routes that browsers can reach
 */
export async function startExternalApp(
  service: Service,
  appId: string,
  routes: Readonly<Record<string, Route>> = {},
  declared: readonly object[] = [],
): Promise<ExternalApp> {
  const app = await serveExternalApp(service, appId, routes);
  const { secret, baseUrl } = app;
  const info = {
    name: appId,
    version: '1.0.0',
    secret,
    base_url: baseUrl,
    routes: declared,
  };
  await service.run([
    'app_api:app:register',
    appId,
    '--wait-finish',
    '--json-info',
    JSON.stringify(info),
  ]);
  return app;
}

/** Like `startExternalApp`, without registering it. Routes may be changed while it runs. */
export async function serveExternalApp(
  service: Service,
  appId: string,
  routes: Readonly<Record<string, Route>> = {},
): Promise<ExternalApp> {
  const secret = `secret of ${appId}`;
  const requests: AppRequest[] = [];
  const usual: Readonly<Record<string, Route>> = {
    'GET /heartbeat': answer('application/json', '{"status":"ok"}'),
    'PUT /enabled': answer('application/json', '{"error":""}'),
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [path = '/'] = (request.url ?? '/').split('?');
      const route = `${request.method} ${path}`;
      const credentials = String(request.headers['authorization-app-api'] ?? '');
      const seen = {
        method: request.method ?? '',
        path: request.url ?? '/',
        userId: Buffer.from(credentials, 'base64').toString('utf8').split(':', 1)[0] ?? '',
        body: Buffer.concat(chunks).toString('utf8'),
      };
      if (routes[route] !== undefined) {
        requests.push(seen);
      }
      (routes[route] ?? usual[route] ?? notFound)(seen, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    appId,
    baseUrl: `http://127.0.0.1:${port}`,
    secret,
    requests,
    async announce(path, body, method: 'POST' | 'PUT' | 'DELETE' = 'POST') {
      const response = await fetch(`${service.url}/ocs/v2.php/apps/app_api/api/v1${path}`, {
        method,
        headers: {
          Accept: 'application/json',
          'Content-Type': 'application/json',
          'OCS-APIRequest': 'true',
          'EX-APP-ID': appId,
          'EX-APP-VERSION': '1.0.0',
          'AA-VERSION': '2.2.0',
          'AUTHORIZATION-APP-API': Buffer.from(`:${secret}`).toString('base64'),
        },
        body: JSON.stringify(body),
      });
      if (!response.ok) {
        throw new Error(`${path}: ${response.status} ${await response.text()}`);
      }
      return ((await response.json()) as { ocs: { data: unknown } }).ocs.data;
    },
    open: () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve)),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A route with a fixed answer. */
export function answer(type: string, body: string, status = 200): Route {
  return (_request, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body);
}

const notFound = answer('application/json', '{"error":"no such route"}', 404);
