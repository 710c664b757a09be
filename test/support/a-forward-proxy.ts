import http, { type IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';
import { SELF_SIGNED } from './self-signed.js';

/** What a proxy was asked for. */
export interface ProxiedRequest {
  /** For instance `GET http://feeds.invalid/a` or `CONNECT feeds.invalid:443`. */
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
}

/** An outgoing proxy, by absolute-form and CONNECT, that reaches one local port by every name. */
export interface ForwardProxy {
  /** Without credentials. */
  readonly url: string;
  readonly host: string;
  readonly requests: ProxiedRequest[];
  /** How many were opened to it. */
  connections: number;
  /** Answers with this status instead of the target; 0: never. Null: passes requests on. */
  refusal: number | null;
  close(): Promise<void>;
}

/** @param login `user:password` that it requires */
export async function startForwardProxy(
  targetPort: number,
  { login, withTls = false }: { readonly login?: string; readonly withTls?: boolean } = {},
): Promise<ForwardProxy> {
  const requests: ProxiedRequest[] = [];
  const sockets = new Set<Socket>();
  const expected = login && `Basic ${Buffer.from(login).toString('base64')}`;
  const refusalOf = ({ 'proxy-authorization': given }: IncomingHttpHeaders): number | null =>
    expected !== undefined && given !== expected ? 407 : proxy.refusal;
  const server = withTls ? https.createServer(SELF_SIGNED) : http.createServer();
  server.on('request', (request, response) => {
    const { method, url = '', headers } = request;
    requests.push({ line: `${method} ${url}`, headers });
    const refusal = refusalOf(headers);
    if (refusal !== null) {
      if (refusal !== 0) {
        response.writeHead(refusal).end('refused');
      }
      return;
    }
    const { pathname, search } = new URL(url);
    const { 'proxy-authorization': _, ...passedOn } = headers;
    const options = { port: targetPort, method, path: pathname + search, headers: passedOn };
    const outgoing = http.request({ ...options, host: '127.0.0.1' }, (answer) => {
      const { connection: _c, 'keep-alive': _k, ...answered } = answer.headers;
      response.writeHead(answer.statusCode ?? 0, answered);
      answer.pipe(response);
    });
    request.pipe(outgoing);
  });
  server.on('connect', ({ url, headers }, socket: Socket) => {
    requests.push({ line: `CONNECT ${url}`, headers });
    const refusal = refusalOf(headers);
    if (refusal !== null) {
      if (refusal !== 0) {
        socket.end(`HTTP/1.1 ${refusal} No\r\nContent-Length: 0\r\n\r\n`);
      }
      return;
    }
    const target = net.connect(targetPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    keep(target);
  });
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
  };
  server.on(withTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    proxy.connections += 1;
    keep(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `localhost:${(server.address() as AddressInfo).port}`;
  const proxy: ForwardProxy = {
    url: `${withTls ? 'https' : 'http'}://${host}`,
    host,
    requests,
    connections: 0,
    refusal: null,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        sockets.forEach((socket) => socket.destroy());
      }),
  };
  return proxy;
}
