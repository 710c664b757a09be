import { addressOf, page } from './page-context.js';

/** The service refused the request or could not be reached. */
export class RequestFailed extends Error {
  constructor(
    message: string,
    /** HTTP status; 0: no answer. */
    readonly status: number,
  ) {
    super(message);
    this.name = 'RequestFailed';
  }
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | (string & {});
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent unchanged. */
  readonly body?: BodyInit;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** The request goes on while the page is left; its body has at most 64 KiB. */
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
    keepalive = false,
  } = options;
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) {
      search.set(name, String(value));
    }
  }
  const address = addressOf(path) + (search.size > 0 ? `?${search}` : '');
  const response = await fetch(address, {
    method,
    headers: {
      Accept: 'application/json',
      requesttoken: page.requestToken,
      'X-Requested-With': 'XMLHttpRequest',
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    credentials: 'same-origin',
    keepalive,
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') {
      throw error;
    }
    throw new RequestFailed('', 0);
  });
  if (response.status === 401) {
    logInAgain();
  }
  if (!response.ok) {
    throw new RequestFailed(await reasonOf(response), response.status);
  }
  return response;
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
async function reasonOf(response: Response): Promise<string> {
  const text = await response.text().catch(() => '');
  if (response.headers.get('Content-Type')?.includes('xml')) {
    const answer = new DOMParser().parseFromString(text, 'application/xml');
    return answer.getElementsByTagNameNS('*', 'message')[0]?.textContent ?? '';
  }
  try {
    const answer = JSON.parse(text) as {
      message?: string;
      error?: string;
      ocs?: { meta?: { message?: string } };
    };
    return answer.ocs?.meta?.message ?? answer.message ?? answer.error ?? '';
  } catch {
    return '';
  }
}

/** The session has ended: go to the login page, which returns here. */
function logInAgain(): void {
  const here = location.pathname.slice(page.webRoot.length) + location.search;
  location.assign(addressOf(`/login?redirect_url=${encodeURIComponent(here)}`));
}
