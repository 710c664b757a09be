import http, { type IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import { compare } from './contracts/recorder.js';
import { within } from './until.js';

/** More than the 20 s after which the service itself ends a request that waits for a lock. */
const ANSWER_SECONDS = 30;

export interface Credentials {
  readonly userId: string;
  readonly password: string;
}

/** A response with its body. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON. */
  readonly json: unknown;
}

export interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  /** Sent as JSON, with any verb. */
  readonly json?: unknown;
  /** Sent unchanged. */
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Few are kept: a network may have a limited number. */
const CONNECTIONS = new http.Agent({ keepAlive: true, maxFreeSockets: 4 });

/**
 * A plain HTTP client. Not `fetch`, which rejects requests that real clients send, such as a GET
 * with a body.
 */
export class ApiClient {
  constructor(
    readonly baseUrl: string,
    readonly credentials?: Credentials | undefined,
  ) {}

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const url = new URL(this.baseUrl + path);
    for (const [name, value] of Object.entries(options.query ?? {})) {
      url.searchParams.append(name, String(value));
    }
    const body = options.json === undefined ? options.body : JSON.stringify(options.json);
    const headers = {
      ...(this.credentials ? { authorization: basic(this.credentials) } : {}),
      ...(options.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      ...options.headers,
    };
    const answered = new Promise<Answer>((resolve, reject) => {
      const isSecure = url.protocol === 'https:';
      const agent = isSecure ? https.globalAgent : CONNECTIONS;
      const { request: send } = isSecure ? https : http;
      const request = send(url, { method, headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const status = response.statusCode ?? 0;
          const contentType = response.headers['content-type'] ?? '';
          const sent = options.json ?? (options.body === undefined ? null : undefined);
          try {
            // Another host is the origin of apps, which has no API.
            if (!('content-encoding' in response.headers) && !('host' in headers)) {
              const target = url.pathname + url.search;
              compare(url.origin, { method, target, sent, status, contentType, text });
            }
          } catch (error) {
            reject(error as Error);
            return;
          }
          resolve({ status, headers: response.headers, text, json: parsed(text) });
        });
      });
      request.on('error', reject);
      request.end(body);
    });
    return within(`the answer to ${method} ${path}`, answered, ANSWER_SECONDS);
  }

  get(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('GET', path, options);
  }

  post(path: string, json?: unknown): Promise<Answer> {
    return this.call('POST', path, { json });
  }

  put(path: string, json?: unknown): Promise<Answer> {
    return this.call('PUT', path, { json });
  }

  delete(path: string): Promise<Answer> {
    return this.call('DELETE', path);
  }
}

export function basic({ userId, password }: Credentials): string {
  return `Basic ${Buffer.from(`${userId}:${password}`).toString('base64')}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
