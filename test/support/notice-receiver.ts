import { createECDH, randomBytes, type ECDH } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { SELF_SIGNED } from './self-signed.js';
import { found } from './until.js';

/** A part of web-push, without types. */
const ece = createRequire(import.meta.url)('http_ece') as {
  decrypt(
    body: Buffer,
    parameters: { version: 'aes128gcm'; privateKey: ECDH; authSecret: string },
  ): Buffer;
};

export interface ReceivedNotice {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body, if it is JSON. */
  readonly json: Record<string, unknown>;
}

/** What the next requests are answered with; `silence` is none. */
export type PlannedAnswer =
  | {
      readonly status: number | Promise<number>;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | 'silence';

/** A server that people are told by: ntfy, a webhook, a push service. */
export interface NoticeReceiver {
  url(path: string): string;
  /** In order of their arrival, those that were refused as well. */
  readonly received: readonly ReceivedNotice[];
  /** Answers of the next requests; then 200, or what `usual` says. */
  readonly answers: PlannedAnswer[];
  usual: number;
  /** Resolves with the request after the first `known` ones. */
  next(known?: number): Promise<ReceivedNotice>;
  close(): Promise<void>;
}

/** @param secure https with a certificate that the process has to trust */
export async function startNoticeReceiver(secure = false): Promise<NoticeReceiver> {
  const received: ReceivedNotice[] = [];
  const answers: PlannedAnswer[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const body = Buffer.concat(chunks);
      const { url: path = '', headers } = request;
      received.push({ path, headers, body, json: jsonIn(body) });
      const answer = answers.shift() ?? { status: receiver.usual };
      if (answer !== 'silence') {
        response.writeHead(await answer.status, answer.headers).end();
      }
    });
  };
  const server = secure ? createSecureServer(SELF_SIGNED, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: NoticeReceiver = {
    url: (path) => `${secure ? 'https' : 'http'}://127.0.0.1:${port}${path}`,
    received,
    answers,
    usual: 200,
    next: (known = received.length) => found(`notice ${known + 1}`, () => received[known] ?? null),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}

function jsonIn(body: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** A browser's subscription at a push service, which decrypts what it gets (RFC 8291). */
export function subscribeAt(endpoint: string) {
  const keys = createECDH('prime256v1');
  const p256dh = keys.generateKeys().toString('base64url');
  const auth = randomBytes(16).toString('base64url');
  return {
    subscription: { endpoint, keys: { p256dh, auth } },
    decrypted: ({ body }: ReceivedNotice) =>
      JSON.parse(
        ece
          .decrypt(body, { version: 'aes128gcm', privateKey: keys, authSecret: auth })
          .toString('utf8'),
      ) as { web_push: number; notification: Record<string, unknown> },
  };
}
