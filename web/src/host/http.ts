import { reportConnection } from './connection.js';
import { copyOf, keepCopy, noteSession } from './offline-copies.js';
import { addressOf, page } from './page-context.js';
import { askForLogin, askForProof, findSession } from './session.js';

/** The service refused the request or could not be reached. */
export class RequestFailed extends Error {
  constructor(
    message: string,
    /** HTTP status; 0: no answer. */
    readonly status: number,
    /** Further fields of the answer. */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.name = 'RequestFailed';
  }

  /** No connection, or a proxy says that the service is down. */
  get isUnreachable(): boolean {
    return UNREACHABLE.has(this.status);
  }
}

const UNREACHABLE = new Set([0, 502, 503, 504]);
/** A request may meet the end of the session, and then need a proof, which is not right at first. */
const MOST_TRIES = 5;

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | (string & {});
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent unchanged. */
  readonly body?: BodyInit;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Keeps a copy of the answer in this browser, which is the answer when the service is unreachable. */
  readonly keepCopy?: boolean;
  /** The request continues when the page is left; its body is limited to 64 KiB. */
  readonly keepalive?: boolean;
}

/**
 * Sends a request to the service in the visitor's session.
 *
 * @param path below the root of the installation
 * @throws RequestFailed unless the answer is 2xx
 */
export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
  const {
    method = 'GET',
    json,
    body,
    query = {},
    headers = {},
    signal,
    keepCopy: copied,
    keepalive = false,
  } = options;
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) {
      search.set(name, String(value));
    }
  }
  const address = addressOf(path) + (search.size > 0 ? `?${search}` : '');
  const init = () => ({
    method,
    headers: {
      Accept: 'application/json',
      // Language of the service's own sentences.
      'Accept-Language': document.documentElement.lang,
      requesttoken: page.requestToken,
      'X-Requested-With': 'XMLHttpRequest',
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    credentials: 'same-origin' as const,
    keepalive,
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  let response = await answerTo(address, init());
  for (let tries = 1; tries < MOST_TRIES && (await isRemedied(response)); tries += 1) {
    response = await answerTo(address, init());
  }
  reportConnection(response !== null);
  if (response === null || UNREACHABLE.has(response.status)) {
    const copy = copied ? await copyOf(address) : undefined;
    if (copy !== undefined) {
      return copy;
    }
  }
  if (!response?.ok) {
    throw response === null ? new RequestFailed('', 0) : await failureOf(response);
  }
  void noteSession().catch(() => {});
  if (copied) {
    void keepCopy(address, response.clone());
  }
  return response;
}

/** Whether the visitor has logged in or proved who they are, so that the request is worth repeating. */
async function isRemedied(response: Response | null): Promise<boolean> {
  const code = response?.headers.get('X-Gatefold-Error');
  return code === 'proof-required' ? askForProof() : hasNewSession(response?.status ?? 0, code);
}

/** @param code `stale-token`: this browser has a later session than the page */
async function hasNewSession(status: number, code: string | null | undefined): Promise<boolean> {
  return (
    (code === 'stale-token' && (await findSession())) || (status === 401 && (await askForLogin()))
  );
}

/** For requests whose progress is shown, which `fetch` cannot do. @returns the last of at most two */
export async function sentInSession(send: () => Promise<XMLHttpRequest>): Promise<XMLHttpRequest> {
  const sent = await send();
  const code = sent.getResponseHeader('X-Gatefold-Error');
  return (await hasNewSession(sent.status, code)) ? send() : sent;
}

/** @returns null if there was no answer */
async function answerTo(address: string, init: RequestInit): Promise<Response | null> {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') {
      throw error;
    }
    return null;
  }
}

/** Like `request`, for JSON; undefined if the answer is empty. */
export async function requestJson<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const response = await request(path, options);
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** @returns `ocs.data` @param path below `/ocs/v2.php` */
export async function requestOcs<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const answer = await requestJson<{ ocs: { data: T } }>(`/ocs/v2.php${path}`, {
    ...options,
    query: { format: 'json', ...options.query },
    headers: { 'OCS-APIRequest': 'true', ...options.headers },
  });
  return answer.ocs.data;
}

/** The service's error message, in any of its formats. */
async function failureOf(response: Response): Promise<RequestFailed> {
  const { status, headers } = response;
  const text = await response.text().catch(() => '');
  if (headers.get('Content-Type')?.includes('xml')) {
    const answer = new DOMParser().parseFromString(text, 'application/xml');
    const [message] = answer.getElementsByTagNameNS('*', 'message');
    return new RequestFailed(message?.textContent ?? '', status);
  }
  try {
    const answer = JSON.parse(text) as Record<string, unknown> & {
      message?: string;
      error?: string;
      ocs?: { meta?: { message?: string } };
    };
    const message = answer.ocs?.meta?.message ?? answer.message ?? answer.error ?? '';
    return new RequestFailed(message, status, answer);
  } catch {
    return new RequestFailed('', status);
  }
}
