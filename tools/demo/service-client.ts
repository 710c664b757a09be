/** Calls the service like a client, with the credentials of one account. */
export class ServiceClient {
  constructor(
    private readonly address: string,
    readonly userId: string,
    private readonly password: string,
  ) {}

  /** A route of the feed reader. */
  async news<Answer>(method: string, route: string, json?: object): Promise<Answer> {
    return (await this.#json(method, `/index.php/apps/news/api/v1-3${route}`, json)) as Answer;
  }

  /** @returns `ocs.data` @param path below `/ocs/v2.php` */
  async ocs<Data>(method: string, path: string, json?: object): Promise<Data> {
    const answer = await this.#json(method, `/ocs/v2.php${path}?format=json`, json);
    return (answer as { ocs: { data: Data } }).ocs.data;
  }

  /** Creates a folder, without a body, or a file. */
  async store(path: string, body?: Buffer | string): Promise<void> {
    const place = path.split('/').map(encodeURIComponent).join('/');
    await this.call(
      body === undefined ? 'MKCOL' : 'PUT',
      `/remote.php/dav/files/${this.userId}/${place}`,
      {
        ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
      },
    );
  }

  /** @throws Error naming the request, unless the answer is 2xx */
  async call(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const answer = await fetch(this.address + path, {
      ...init,
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`${this.userId}:${this.password}`).toString('base64')}`,
        'ocs-apirequest': 'true',
        ...init.headers,
      },
    });
    if (!answer.ok) {
      throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    }
    return answer;
  }

  async #json(method: string, path: string, json?: object): Promise<unknown> {
    const answer = await this.call(method, path, {
      headers: { accept: 'application/json', ...(json && { 'content-type': 'application/json' }) },
      ...(json && { body: JSON.stringify(json) }),
    });
    const text = await answer.text();
    return text === '' ? undefined : JSON.parse(text);
  }
}
