import { HttpService } from '@nestjs/axios';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { AxiosPromise, InternalAxiosRequestConfig } from 'axios';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Config } from '../config/config.js';
import { requestAttributes } from '../tracing/request-attributes.js';
import { tracedCall } from '../tracing/spans.js';
import { MIB } from '../units.js';
import { GATEFOLD_VERSION } from '../version.js';
import { AddressPolicy } from './address-policy.js';
import { discardBody } from './discard-body.js';
import {
  explainFailure,
  ProxyRefused,
  RequestTimedOut,
  ResponseUnreadable,
  TooManyRedirects,
  UnsupportedAddress,
} from './outgoing-errors.js';
import { OutgoingProxy } from './outgoing-proxy.js';
import { isPublicHttps } from './public-https.js';
import { ACCEPTED_ENCODINGS, hasBody, readBody } from './read-body.js';
import { RedirectCookies } from './redirect-cookies.js';
import { SilentServers } from './silent-servers.js';

/**
 * Address policy of a request. `public-and-allowed`: public addresses and addresses that the operator
 * listed; required for addresses from users and publishers. `operator-configured`: all addresses; only if
 * an administrator entered it.
 */
type AddressPolicyName = 'public-and-allowed' | 'operator-configured';

export interface OutgoingRequest {
  /** May contain user name and password, which are sent to this origin only. */
  readonly url: string;
  /** Default GET. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent to the origin of `url`, until a redirect leaves it. Not shared by connections. */
  readonly ownOfOrigin?: OwnOfOrigin | undefined;
  readonly body?: Uint8Array | string;
  /** Total for connecting, redirects, headers and body. Default 30. */
  readonly timeoutSeconds?: number;
  /** Default 5 MiB. */
  readonly maxWireBytes?: number;
  /** Default 10 MiB. */
  readonly maxDecodedBytes?: number;
  /** Reads the beginning of a larger body, and unpacks gzip that is not announced. */
  readonly isLenient?: boolean;
  /** Default 5. With 0, redirects are returned. */
  readonly maxRedirects?: number;
  /** Default `public-and-allowed`. */
  readonly addressPolicy?: AddressPolicyName;
  /** Bypasses the operator's proxy: for servers of this installation, such as external apps. */
  readonly direct?: boolean;
  /**
   * Whether only status and headers matter. The body is then drained, and errors after the status
   * are ignored.
   */
  readonly discardsBody?: boolean;
  /**
   * Awaited before a body is read, which limits how many are in memory. The time limit begins again
   * with it and after it; an error of it ends the request. Its signal is the end of the request.
   */
  readonly beforeBody?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Headers, and a client certificate with its key, in PEM form. */
interface OwnOfOrigin {
  readonly headers: Readonly<Record<string, string>>;
  readonly certificate: { readonly cert: string; readonly key: string } | null;
}

export interface OutgoingAnswer {
  readonly status: number;
  /** Names in lower case; values without control characters. */
  readonly headers: IncomingHttpHeaders;
  /** The decoded body; empty with `discardsBody`. */
  readonly body: Uint8Array;
  /** Whether the body exceeded the limits, with `isLenient`. */
  readonly isCut: boolean;
  /** Final address after redirects, without credentials. */
  readonly url: string;
  /** Redirects in order, without credentials. */
  readonly redirects: readonly Redirect[];
  /** Whether the server has a private address that the operator listed. */
  readonly allowListed: boolean;
  readonly durationMs: number;
}

export interface Redirect {
  readonly status: number;
  readonly from: string;
  readonly to: string;
}

/** One request in a chain of redirects. */
interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | undefined;
  readonly own: OwnOfOrigin | undefined;
}

/** Keep-alive time, for requests that follow at once: redirects, icons. */
const IDLE_CONNECTION_MS = 5000;

/** A proxy's own answers to requests for http. */
const PROXY_STATUSES = new Set([407, 502, 504]);

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** Headers that are kept on a redirect to another origin; others may be credentials. */
const HARMLESS_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'if-modified-since',
  'if-none-match',
  'user-agent',
]);

/**
 * HTTP client for all outgoing requests with whole responses. Applies the address policy on every
 * hop, a total timeout and size limits; of proxies it knows `GATEFOLD_OUTGOING_PROXY` only.
 */
@Injectable()
export class OutgoingHttp implements OnApplicationShutdown {
  readonly #policy: AddressPolicy;
  readonly #guarded = createAgents();
  readonly #unrestricted = createAgents();
  readonly #proxied: Agents;
  readonly #proxy: OutgoingProxy | undefined;
  readonly #userAgent: string;

  constructor(
    private readonly httpService: HttpService,
    { fetchAllowPrivate, outgoingProxy: proxy, outgoingProxyExcept: except, baseUrl }: Config,
    private readonly servers: SilentServers,
  ) {
    this.#userAgent = `Gatefold/${GATEFOLD_VERSION} (${contactOf(baseUrl) ?? 'feed reader'})`;
    this.#policy = new AddressPolicy(fetchAllowPrivate);
    this.#policy.guard(this.#guarded.httpAgent);
    this.#policy.guard(this.#guarded.httpsAgent);
    // The timeout also applies to CONNECT.
    const proxyEnv = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
    this.#proxied = createAgents({ proxyEnv, timeout: 15_000 });
    this.#proxy = proxy ? new OutgoingProxy(new URL(proxy).host, except, this.#policy) : undefined;
  }

  /**
   * Sends a request and reads the whole response. Error statuses do not throw.
   *
   * @throws OutgoingHttpError without a usable response
   * @throws the reason of `signal` when aborted
   */
  async request(request: OutgoingRequest): Promise<OutgoingAnswer> {
    const { method = 'GET', url } = request;
    return tracedCall(method, requestAttributes(method, url), async (span) => {
      const send = () => this.#request(request);
      // Publishers rest by the schedule of their feeds.
      const isConfigured = request.addressPolicy === 'operator-configured';
      const answer = await (isConfigured ? this.servers.ask(new URL(url).host, send) : send());
      span?.setAttribute('http.response.status_code', answer.status);
      return answer;
    });
  }

  async #request(request: OutgoingRequest): Promise<OutgoingAnswer> {
    const { timeoutSeconds = 30, signal } = request;
    const stop = new AbortController();
    const stopForCaller = (): void => stop.abort(signal?.reason);
    if (signal?.aborted) {
      stopForCaller();
    }
    signal?.addEventListener('abort', stopForCaller, { once: true });

    const timer = setTimeout(
      () =>
        stop.abort(
          progress.isConnecting
            ? explainFailure({ code: 'ETIMEDOUT' }, progress.host)
            : new RequestTimedOut(progress.host, timeoutSeconds),
        ),
      timeoutSeconds * 1000,
    );
    const progress: Progress = {
      host: '',
      isOfPublisher: request.addressPolicy !== 'operator-configured',
      isConnecting: false,
      stop: stop.signal,
      fail: (error) => stop.abort(error),
      restartTimeLimit: () => timer.refresh(),
    };
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
    for (const { httpAgent, httpsAgent } of [this.#guarded, this.#unrestricted, this.#proxied]) {
      httpAgent.destroy();
      httpsAgent.destroy();
    }
  }

  async #followRedirects(request: OutgoingRequest, progress: Progress): Promise<OutgoingAnswer> {
    const {
      maxRedirects = 5,
      maxWireBytes = 5 * MIB,
      maxDecodedBytes = 10 * MIB,
      isLenient = false,
      direct,
    } = request;
    const agents = progress.isOfPublisher ? this.#guarded : this.#unrestricted;
    const startedAt = performance.now();
    const redirects: Redirect[] = [];
    let hop = firstHop(request, this.#userAgent);
    const own = hop.headers['cookie']?.split(/;\s*/) ?? [];
    const cookies = new RedirectCookies(own, hop.url.origin);

    for (;;) {
      progress.host = hop.url.host;
      const proxied = direct ? null : await this.#proxy?.judge(hop.url, progress.isOfPublisher);
      progress.host += proxied ? ` (GATEFOLD_OUTGOING_PROXY ${this.#proxy?.host})` : '';
      // What a proxy does until the end of CONNECT is not seen.
      progress.isConnecting = !proxied;
      const response = await this.#open(hop, proxied ? this.#proxied : agents, progress);
      const status = response.statusCode ?? 0;
      const verdict = proxied ?? this.#policy.judge(response.socket.remoteAddress ?? '');
      if (proxied && hop.url.protocol === 'http:' && PROXY_STATUSES.has(status)) {
        response.destroy();
        throw new ProxyRefused(progress.host, status);
      }
      const target = maxRedirects > 0 ? redirectTarget(response, hop.url) : null;
      if (!target) {
        if (request.beforeBody && hasBody(response, hop.method)) {
          progress.restartTimeLimit();
          await request.beforeBody(progress.stop).catch((error: unknown) => progress.fail(error));
          progress.restartTimeLimit();
        }
        const limits = { maxWireBytes, maxDecodedBytes, isLenient };
        const read = request.discardsBody
          ? { body: await discardBody(response, progress.stop), isCut: false }
          : await readBody(response, limits, hop.url.host, hop.method, progress.stop);
        return {
          status,
          headers: withoutControls(response.headers),
          ...read,
          url: hop.url.href,
          redirects,
          allowListed: verdict === 'allow-listed',
          durationMs: Math.round(performance.now() - startedAt),
        };
      }
      response.destroy();
      if (redirects.length === maxRedirects) {
        throw new TooManyRedirects(hop.url.host, maxRedirects);
      }
      redirects.push({ status, from: hop.url.href, to: target.href });
      await cookies.keep(response.headers['set-cookie'] ?? [], hop.url);
      hop = nextHop(hop, status, target, cookies.headerFor(target));
    }
  }

  async #open(hop: Hop, agents: Agents, progress: Progress): Promise<IncomingMessage> {
    const signal = progress.stop;
    const onConnect = (): void => {
      progress.isConnecting = false;
    };
    const send = async (): Promise<IncomingMessage> => {
      const { data } = await this.httpService.axiosRef.request<IncomingMessage>({
        ...agents,
        adapter: (config) => openAnswer(config, onConnect, hop.own?.certificate),
        insecureHTTPParser: progress.isOfPublisher,
        url: hop.url.href,
        method: hop.method,
        headers: { ...hop.headers, ...hop.own?.headers },
        data: hop.body,
        transformRequest: [],
        transformResponse: [],
        signal,
      });
      return data;
    };
    try {
      return await send();
    } catch (error) {
      // The server closed a reused connection: retry on a new one.
      if (signal.aborted || !isRepeatable(hop) || !wasKeptConnection(error)) {
        throw error;
      }
      return await send();
    }
  }
}

/**
 * Adapter of axios for the head of an answer: its own one also follows, decodes, measures and knows proxies,
 * and takes three times the CPU time (decision 0088).
 */
const openAnswer = (
  config: InternalAxiosRequestConfig,
  onConnect: () => void,
  certificate: OwnOfOrigin['certificate'] = null,
): AxiosPromise => {
  const url = new URL(config.url ?? '');
  const [client, agent] =
    url.protocol === 'https:' ? [https, config.httpsAgent] : [http, config.httpAgent];
  const body = config.data as string | Uint8Array | undefined;
  // Node.js sets it only for methods that usually have a body.
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const signal = config.signal as AbortSignal;
  return new Promise((resolve, reject) => {
    const request = (client as typeof http).request(url, {
      // Agents keep connections and sessions by it.
      ...certificate,
      agent: agent as http.Agent,
      method: config.method ?? 'get',
      headers: { ...(config.headers.toJSON() as http.OutgoingHttpHeaders), ...length },
      // Node's 16 KiB are less than the cookies and policies that some servers send.
      maxHeaderSize: 64 * 1024,
      insecureHTTPParser: config.insecureHTTPParser ?? false,
      signal,
    });
    // An aborted request reports an error only once it has a socket, which takes until the end of CONNECT.
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    request.once('socket', (socket) => {
      if (socket.connecting) {
        socket.once('connect', onConnect);
      } else {
        onConnect();
      }
    });
    request.on('error', (error) => reject(Object.assign(error, { request })));
    request.once('response', (data) => {
      const { statusCode: status = 0, statusMessage: statusText = '' } = data;
      // Where two lengths are given, what follows could pass for the answer to another request.
      const { 'transfer-encoding': coding = 'none', 'content-length': length } = data.headers;
      request.shouldKeepAlive &&= coding === 'none' || (coding === 'chunked' && !length);
      resolve({ data, status, statusText, headers: {}, config, request });
    });
    request.end(body);
  });
};

/** RFC 9110, 5.5: blanks in place of what would be refused when it is sent or stored. */
function withoutControls(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  // oxlint-disable-next-line no-control-regex
  const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value = '']) => [
      name,
      Array.isArray(value) ? value.map(plain) : plain(value),
    ]),
  );
}

type Agents = ReturnType<typeof createAgents>;

interface Progress {
  /** Current server, for the timeout error. */
  host: string;
  /** Then the answer is read as browsers do, with lines that end in LF, folded headers and the like. */
  readonly isOfPublisher: boolean;
  /** Whether the time limit would end an attempt to connect. */
  isConnecting: boolean;
  readonly stop: AbortSignal;
  /** Fails the request with an error that the server did not cause. */
  fail(error: unknown): void;
  restartTimeLimit(): void;
}

function createAgents(special: http.AgentOptions = {}) {
  const options = { keepAlive: true, maxFreeSockets: 256, timeout: IDLE_CONNECTION_MS, ...special };
  return { httpAgent: new http.Agent(options), httpsAgent: new https.Agent(options) };
}

/** Contact address for publishers. Null for addresses of private networks, which they must not see. */
function contactOf(baseUrl: string | undefined): string | null {
  const url = baseUrl === undefined ? null : new URL(baseUrl);
  return url !== null && isPublicHttps(url) ? `+${url.origin}${url.pathname}` : null;
}

function firstHop(request: OutgoingRequest, userAgent: string): Hop {
  const given = Object.entries(request.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]);
  const url = parseHttpUrl(request.url);
  const headers: Record<string, string> = {
    accept: '*/*',
    'accept-encoding': ACCEPTED_ENCODINGS,
    'user-agent': userAgent,
    ...basicAuthorization(url),
    ...Object.fromEntries(given),
  };
  return {
    url: withoutUserinfo(url),
    method: request.method ?? 'GET',
    headers,
    body: request.body,
    own: request.ownOfOrigin,
  };
}

function nextHop(hop: Hop, status: number, target: URL, cookie: string): Hop {
  const turnsIntoGet =
    (status === 303 && hop.method !== 'HEAD') ||
    ((status === 301 || status === 302) && hop.method === 'POST');
  const kept = Object.entries(hop.headers).filter(
    ([name]) =>
      name !== 'cookie' &&
      (target.origin === hop.url.origin || HARMLESS_HEADERS.has(name)) &&
      !(turnsIntoGet && name.startsWith('content-')),
  );
  return {
    url: target,
    method: turnsIntoGet ? 'GET' : hop.method,
    headers: { ...Object.fromEntries(kept), ...(cookie && { cookie }) },
    body: turnsIntoGet ? undefined : hop.body,
    own: target.origin === hop.url.origin ? hop.own : undefined,
  };
}

/** @returns target without credentials; null if it is not a redirect */
function redirectTarget(response: IncomingMessage, from: URL): URL | null {
  const { location } = response.headers;
  if (!location || !REDIRECT_STATUSES.has(response.statusCode ?? 0)) {
    return null;
  }
  // Node decodes headers as Latin-1, but servers send UTF-8.
  const address = Buffer.from(location, 'latin1').toString('utf8');
  if (!URL.canParse(address, from.href)) {
    response.destroy();
    throw new ResponseUnreadable(from.host, 'a redirect to an address that cannot be read');
  }
  return withoutUserinfo(parseHttpUrl(address, from));
}

/** @throws UnsupportedAddress unless http or https */
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
