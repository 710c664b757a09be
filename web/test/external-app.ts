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

/** An external app with routes of a test's, registered with a service and enabled. */
export interface ExternalApp {
  readonly appId: string;
  /** What it was asked, in order; the gateway's own business left out. */
  readonly requests: readonly AppRequest[];
  /** Announces something: a route below the gateway's `/api/v1`. */
  announce(path: string, body: unknown): Promise<void>;
  close(): Promise<void>;
}

/** @param routes by method and path, for instance `GET /js/main.js` */
export async function startExternalApp(
  service: Service,
  appId: string,
  routes: Readonly<Record<string, Route>> = {},
): Promise<ExternalApp> {
  const secret = `secret of ${appId}`;
  const requests: AppRequest[] = [];
  const all: Readonly<Record<string, Route>> = {
    'GET /heartbeat': answer('application/json', '{"status":"ok"}'),
    'PUT /enabled': answer('application/json', '{"error":""}'),
    ...routes,
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
      (all[route] ?? notFound)(seen, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await service.run([
    'app_api:app:register',
    appId,
    '--wait-finish',
    '--json-info',
    JSON.stringify({
      name: appId,
      version: '1.0.0',
      secret,
      base_url: `http://127.0.0.1:${port}`,
    }),
  ]);

  return {
    appId,
    requests,
    async announce(path, body) {
      const response = await fetch(`${service.url}/ocs/v2.php/apps/app_api/api/v1${path}`, {
        method: 'POST',
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
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A route that always answers the same. */
export function answer(type: string, body: string, status = 200): Route {
  return (_request, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body);
}

const notFound = answer('application/json', '{"error":"no such route"}', 404);
