import { HttpService } from '@nestjs/axios';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import http, { IncomingMessage, type IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import { Config } from '../config/config.js';
import { GATEFOLD_VERSION } from '../version.js';
import { AddressPolicy } from './address-policy.js';
import {
  explainFailure,
  RequestTimedOut,
  ResponseUnreadable,
  TooManyRedirects,
  UnsupportedAddress,
} from './outgoing-errors.js';
import { discardBody } from './discard-body.js';
import { ACCEPTED_ENCODINGS, readBody } from './read-body.js';

/**
 * Where a request may go. `public-and-allowed`: public addresses and those the operator listed,
 * for every address that came from a user or a publisher. `operator-configured`: anywhere, only
 * for addresses that an administrator entered.
 */
type AddressPolicyName = 'public-and-allowed' | 'operator-configured';

export interface OutgoingRequest {
  /** May hold a user name and password; they go to this address's origin only. */
  readonly url: string;
  /** Default GET. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** For everything together: connecting, redirects, headers and body. Default 30. */
  readonly timeoutSeconds?: number;
  /** Default 5 MiB. */
  readonly maxWireBytes?: number;
  /** Default 10 MiB. */
  readonly maxDecodedBytes?: number;
  /** Default 5. With 0 a redirect is an answer like any other. */
  readonly maxRedirects?: number;
  /** Default `public-and-allowed`. */
  readonly addressPolicy?: AddressPolicyName;
  /**
   * Whether only status and headers matter. The body is then taken and thrown away: as soon as there
   * is a status, nothing that follows makes a failure of it.
   */
  readonly discardsBody?: boolean;
  readonly signal?: AbortSignal;
}

export interface OutgoingAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The body with its content encoding undone; empty when it was to be discarded. */
  readonly body: Uint8Array;
  /** Where the answer came from in the end, without credentials. */
  readonly url: string;
  /** The way there, in order, without credentials. */
  readonly redirects: readonly Redirect[];
  /** Whether the answering server is reachable only because the operator listed its address. */
  readonly allowListed: boolean;
  readonly durationMs: number;
}

export interface Redirect {
  readonly status: number;
  readonly from: string;
  readonly to: string;
}

/** One request of the several that redirects may make necessary. */
interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | undefined;
}

const MIB = 1024 * 1024;

/** Idle connections are kept for the requests that follow at once: redirects, icons. */
const IDLE_CONNECTION_MS = 5000;

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** What may follow a redirect to another origin; anything else might be a credential. */
const HARMLESS_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'if-modified-since',
  'if-none-match',
  'user-agent',
]);

const USER_AGENT = `Gatefold/${GATEFOLD_VERSION} (+feed reader)`;

/**
 * The one way out to the network. Every request obeys the address policy on every hop, a total
 * deadline, and limits on what may come back; proxies of the environment are not used.
 */
@Injectable()
export class OutgoingHttp implements OnApplicationShutdown {
  readonly #policy: AddressPolicy;
  readonly #guarded = createAgents();
  readonly #unrestricted = createAgents();

  constructor(
    private readonly httpService: HttpService,
    config: Config,
  ) {
    this.#policy = new AddressPolicy(config.fetchAllowPrivate);
    this.#policy.guard(this.#guarded.httpAgent);
    this.#policy.guard(this.#guarded.httpsAgent);
  }

  /**
   * Sends a request and reads the whole answer. Every status is an answer, errors included.
   *
   * @throws OutgoingHttpError in one of its kinds when there is no usable answer
   * @throws the reason of `signal` when that ends the request
   */
  async request(request: OutgoingRequest): Promise<OutgoingAnswer> {
    const { timeoutSeconds = 30, signal } = request;
    const stop = new AbortController();
    const stopForCaller = (): void => stop.abort(signal?.reason);
    if (signal?.aborted) {
      stopForCaller();
    }
    signal?.addEventListener('abort', stopForCaller, { once: true });

    const progress: Progress = { host: '', stop: stop.signal };
    const timer = setTimeout(
      () => stop.abort(new RequestTimedOut(progress.host, timeoutSeconds)),
      timeoutSeconds * 1000,
    );
    try {
      return await this.#followRedirects(request, progress);
    } catch (error) {
      if (stop.signal.aborted) {
        throw stop.signal.reason;
      }
      throw explainFailure(error, progress.host);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stopForCaller);
    }
  }

  onApplicationShutdown(): void {
    for (const { httpAgent, httpsAgent } of [this.#guarded, this.#unrestricted]) {
      httpAgent.destroy();
      httpsAgent.destroy();
    }
  }

  async #followRedirects(request: OutgoingRequest, progress: Progress): Promise<OutgoingAnswer> {
    const {
      maxRedirects = 5,
      maxWireBytes = 5 * MIB,
      maxDecodedBytes = 10 * MIB,
      addressPolicy = 'public-and-allowed',
    } = request;
    const startedAt = performance.now();
    const redirects: Redirect[] = [];
    let hop = firstHop(request);

    for (;;) {
      progress.host = hop.url.host;
      const response = await this.#open(hop, addressPolicy, progress.stop);
      const status = response.statusCode ?? 0;
      const allowListed =
        this.#policy.judge(response.socket.remoteAddress ?? '') === 'allow-listed';
      const target = maxRedirects > 0 ? redirectTarget(response, hop.url) : null;
      if (!target) {
        const limits = { maxWireBytes, maxDecodedBytes };
        const body = request.discardsBody
          ? await discardBody(response, progress.stop)
          : await readBody(response, limits, hop.url.host, hop.method, progress.stop);
        return {
          status,
          headers: response.headers,
          body,
          url: hop.url.href,
          redirects,
          allowListed,
          durationMs: Math.round(performance.now() - startedAt),
        };
      }
      response.destroy();
      if (redirects.length === maxRedirects) {
        throw new TooManyRedirects(hop.url.host, maxRedirects);
      }
      redirects.push({ status, from: hop.url.href, to: target.href });
      hop = nextHop(hop, status, target);
    }
  }

  async #open(hop: Hop, policy: AddressPolicyName, signal: AbortSignal): Promise<IncomingMessage> {
    const agents = policy === 'operator-configured' ? this.#unrestricted : this.#guarded;
    const send = async (): Promise<IncomingMessage> => {
      const { data } = await this.httpService.axiosRef.request<unknown>({
        ...agents,
        url: hop.url.href,
        method: hop.method,
        headers: { ...hop.headers },
        data: hop.body,
        signal,
        responseType: 'stream',
        decompress: false,
        maxRedirects: 0,
        proxy: false,
        validateStatus: () => true,
      });
      if (data instanceof IncomingMessage) {
        return data;
      }
      throw new ResponseUnreadable(hop.url.host, 'an answer that is not HTTP');
    };
    try {
      return await send();
    } catch (error) {
      // A kept connection that the server closed in the same moment: ask again on a fresh one.
      if (signal.aborted || !isRepeatable(hop) || !wasKeptConnection(error)) {
        throw error;
      }
      return await send();
    }
  }
}

interface Progress {
  /** The server that is being waited for, for the message when the deadline passes. */
  host: string;
  readonly stop: AbortSignal;
}

function createAgents(): { httpAgent: http.Agent; httpsAgent: https.Agent } {
  const options = { keepAlive: true, maxFreeSockets: 64, timeout: IDLE_CONNECTION_MS };
  return { httpAgent: new http.Agent(options), httpsAgent: new https.Agent(options) };
}

function firstHop(request: OutgoingRequest): Hop {
  const given = Object.entries(request.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]);
  const url = parseHttpUrl(request.url);
  const headers: Record<string, string> = {
    accept: '*/*',
    'accept-encoding': ACCEPTED_ENCODINGS,
    'user-agent': USER_AGENT,
    ...basicAuthorization(url),
    ...Object.fromEntries(given),
  };
  return {
    url: withoutUserinfo(url),
    method: request.method ?? 'GET',
    headers,
    body: request.body,
  };
}

function nextHop(hop: Hop, status: number, target: URL): Hop {
  const turnsIntoGet =
    (status === 303 && hop.method !== 'HEAD') ||
    ((status === 301 || status === 302) && hop.method === 'POST');
  const kept = Object.entries(hop.headers).filter(
    ([name]) =>
      (target.origin === hop.url.origin || HARMLESS_HEADERS.has(name)) &&
      !(turnsIntoGet && name.startsWith('content-')),
  );
  return {
    url: target,
    method: turnsIntoGet ? 'GET' : hop.method,
    headers: Object.fromEntries(kept),
    body: turnsIntoGet ? undefined : hop.body,
  };
}

/** @returns where the response sends us, without credentials; null when it is not a redirect */
function redirectTarget(response: IncomingMessage, from: URL): URL | null {
  const { location } = response.headers;
  if (!location || !REDIRECT_STATUSES.has(response.statusCode ?? 0)) {
    return null;
  }
  // Headers arrive byte by byte, but servers put addresses into them in UTF-8.
  const address = Buffer.from(location, 'latin1').toString('utf8');
  if (!URL.canParse(address, from.href)) {
    response.destroy();
    throw new ResponseUnreadable(from.host, 'a redirect to an address that cannot be read');
  }
  return withoutUserinfo(parseHttpUrl(address, from));
}

/** @throws UnsupportedAddress for anything that is not http or https */
function parseHttpUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new UnsupportedAddress();
  }
  return url;
}

function withoutUserinfo(url: URL): URL {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  bare.hash = '';
  return bare;
}

function basicAuthorization(url: URL): { authorization?: string } {
  if (url.username === '' && url.password === '') {
    return {};
  }
  const credentials = [url.username, url.password].map(decodePercent).join(':');
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isRepeatable({ method }: Hop): boolean {
  return method === 'GET' || method === 'HEAD';
}

function wasKeptConnection(error: unknown): boolean {
  return (
    error instanceof Error &&
    'request' in error &&
    error.request instanceof http.ClientRequest &&
    error.request.reusedSocket
  );
}
