import { ApiClient, type Answer, type CallOptions, type Credentials } from './api-client.js';

/** Keeps cookies like a browser; follows redirects only on request. */
export class Browser {
  /** Name and value of each cookie. */
  readonly cookies = new Map<string, string>();
  readonly #api: ApiClient;

  constructor(readonly baseUrl: string) {
    this.#api = new ApiClient(baseUrl);
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const answer = await this.#api.call(method, path, {
      ...options,
      headers: { ...this.#cookieHeader(), ...options.headers },
    });
    for (const cookie of answer.headers['set-cookie'] ?? []) {
      this.#keep(cookie);
    }
    return answer;
  }

  get(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('GET', path, options);
  }

  /** Like a form without a script. */
  submit(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = { origin: this.baseUrl },
  ): Promise<Answer> {
    return this.call('POST', path, {
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  }

  login({ userId, password }: Credentials, redirectUrl = ''): Promise<Answer> {
    return this.submit('/login', { user: userId, password, redirect_url: redirectUrl });
  }

  #cookieHeader(): Readonly<Record<string, string>> {
    const pairs = [...this.cookies].map(([name, value]) => `${name}=${value}`);
    return pairs.length === 0 ? {} : { cookie: pairs.join('; ') };
  }

  #keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (value === '') {
      this.cookies.delete(name);
      return;
    }
    this.cookies.set(name, value);
  }
}
