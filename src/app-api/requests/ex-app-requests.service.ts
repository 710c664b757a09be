import { Injectable } from '@nestjs/common';
import { UserDirectory } from '../../common/ports/user-directory.js';
import { ExAppDisabled, ExAppNotFound, ExAppUnreachable } from '../app-api.errors.js';
import type { ExAppAnswer } from '../apps/client/ex-app-answer.js';
import { ExAppClient, type ExAppRequest } from '../apps/client/ex-app-client.service.js';
import { ExAppsRepository, type ExApp } from '../apps/ex-apps.repository.js';
import { HOP_BY_HOP } from '../proxy/proxied-headers.js';
import { isPlain } from '../proxy/proxy-address.js';

/** A request that the gateway sends to an app for its caller. */
interface ExAppRequestOrder {
  readonly route: string;
  /** In any letter case; an unsupported one is reported as a result, not thrown. */
  readonly method: string;
  /** The query of a GET, the JSON body of other methods. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly options: RequestOptions;
  /** The acting user; empty if there is none. */
  readonly userId: string;
}

/** The supported options; others are ignored. */
interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Seconds; 0 for the maximum. */
  readonly timeout?: number | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly json?: unknown;
  /** Replaces `params`. */
  readonly multipart?: readonly MultipartPart[] | undefined;
}

interface MultipartPart {
  readonly name: string;
  readonly contents: string;
  readonly filename?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** In the protocol's names; only `error` if there was no response. */
type RequestResult =
  | {
      readonly status_code: number;
      readonly headers: Readonly<Record<string, readonly string[]>>;
      readonly body: string;
    }
  | { readonly error: string };

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;
const LONGEST_TIMEOUT_SECONDS = 3600;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Headers that the gateway or the HTTP client sets. */
const OURS: ReadonlySet<string> = new Set([...HOP_BY_HOP, 'host', 'content-length']);

/**
 * Sends requests to apps for administrators and for the SDK.
 *
 * @see docs/app-api-reference.md "Requests to an app"
 */
@Injectable()
export class ExAppRequestsService {
  constructor(
    private readonly apps: ExAppsRepository,
    private readonly client: ExAppClient,
    private readonly directory: UserDirectory,
  ) {}

  /** @throws ExAppNotFound */
  async send(appId: string, order: ExAppRequestOrder): Promise<RequestResult> {
    const app = ExAppNotFound.unless(await this.apps.find(appId), appId);
    const method = METHODS.find((known) => known === order.method.toUpperCase());
    if (method === undefined) {
      return { error: `The method must be GET, POST, PUT or DELETE, but is "${order.method}".` };
    }
    if (!isPlain(order.route)) {
      return { error: `The route "${order.route}" leads out of the app.` };
    }
    if (!app.enabled) {
      return { error: new ExAppDisabled(app.appId).message };
    }
    if (order.userId !== '' && (await this.directory.find(order.userId)) === null) {
      return { error: `There is no user "${order.userId}".` };
    }
    return this.#exchange(app, method, order);
  }

  async #exchange(
    app: ExApp,
    method: (typeof METHODS)[number],
    order: ExAppRequestOrder,
  ): Promise<RequestResult> {
    try {
      return toResult(await this.client.send(app, await toRequest(method, order)));
    } catch (error) {
      if (error instanceof ExAppUnreachable) {
        return { error: error.message };
      }
      throw error;
    }
  }
}

async function toRequest(
  method: (typeof METHODS)[number],
  { route, params, options, userId }: ExAppRequestOrder,
): Promise<ExAppRequest> {
  const { multipart, timeout } = options;
  const isSent = Object.keys(params).length > 0 && multipart === undefined;
  const query = { ...options.query, ...(isSent && method === 'GET' && params) };
  const json = isSent && method !== 'GET' ? params : options.json;
  const form = multipart && (await encodeForm(multipart));
  return {
    method,
    route: withQuery(route, query),
    userId,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    headers: { ...callersHeaders(options.headers), ...form?.headers },
    ...(form && { body: form.body }),
    ...(json !== undefined && !form && { json }),
    ...(timeout !== undefined && { timeoutSeconds: timeoutSeconds(timeout) }),
  };
}

function toResult({ status, headers, body }: ExAppAnswer): RequestResult {
  const lists = Object.entries(headers).map(
    ([name, value]) => [name, [value ?? ''].flat()] as const,
  );
  return {
    status_code: status,
    headers: Object.fromEntries(lists),
    body: body.toString('utf8'),
  };
}

function callersHeaders(headers: RequestOptions['headers'] = {}): Record<string, string> {
  const named = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  return Object.fromEntries(named.filter(([name]) => !OURS.has(name)));
}

/** Encodes nested values as PHP does. */
function withQuery(route: string, query: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    append(parameters, name, value);
  }
  const text = parameters.toString();
  return text === '' ? route : `${route}${route.includes('?') ? '&' : '?'}${text}`;
}

function append(parameters: URLSearchParams, name: string, value: unknown): void {
  if (value === null || value === undefined) {
    return;
  }
  if (typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) {
      append(parameters, `${name}[${key}]`, inner);
    }
    return;
  }
  parameters.append(name, typeof value === 'boolean' ? String(Number(value)) : String(value));
}

async function encodeForm(
  parts: readonly MultipartPart[],
): Promise<{ readonly headers: Record<string, string>; readonly body: Uint8Array }> {
  const form = new FormData();
  for (const { name, contents, filename, headers = {} } of parts) {
    if (filename === undefined) {
      form.append(name, contents);
    } else {
      const type = Object.entries(headers).find(([key]) => key.toLowerCase() === 'content-type');
      form.append(name, new Blob([contents], { type: type?.[1] ?? '' }), filename);
    }
  }
  const encoded = new Response(form);
  return {
    headers: { 'content-type': encoded.headers.get('content-type') ?? 'multipart/form-data' },
    body: new Uint8Array(await encoded.arrayBuffer()),
  };
}

function timeoutSeconds(timeout: number): number {
  return timeout <= 0 ? LONGEST_TIMEOUT_SECONDS : Math.min(timeout, LONGEST_TIMEOUT_SECONDS);
}
