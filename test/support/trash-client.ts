import type { Answer } from './api-client.js';
import { NAMESPACES, readMultistatus } from './dav-client.js';
import type { TestUser } from './start-app.js';

const PROPERTIES = [
  'nc:trashbin-filename',
  'nc:trashbin-original-location',
  'nc:trashbin-deletion-time',
  'd:getcontenttype',
  'oc:size',
];

/** The trash of a user, as a client sees it. */
export class TrashClient {
  readonly #root: string;

  constructor(
    private readonly user: TestUser,
    userId = user.credentials.userId,
  ) {
    this.#root = `/remote.php/dav/trashbin/${userId}`;
  }

  answer(): Promise<Answer> {
    const prop = PROPERTIES.map((name) => `<${name}/>`).join('');
    return this.user.call('PROPFIND', `${this.#root}/trash`, {
      headers: { depth: '1' },
      body: `<?xml version="1.0"?><d:propfind ${NAMESPACES}><d:prop>${prop}</d:prop></d:propfind>`,
    });
  }

  /** Entries with their properties by local name. */
  async list(): Promise<Record<string, unknown>[]> {
    const [, ...entries] = readMultistatus(await this.answer());
    return entries.map(({ href, found }) => ({ id: /(\d+)\/?$/.exec(href)?.[1], ...found }));
  }

  async ids(): Promise<string[]> {
    return (await this.list()).map(({ id }) => String(id));
  }

  restore(id: string): Promise<Answer> {
    return this.user.call('MOVE', `${this.#root}/trash/${id}`, {
      headers: { destination: `${this.#root}/restore/${id}` },
    });
  }

  remove(id: string): Promise<Answer> {
    return this.user.call('DELETE', `${this.#root}/trash/${id}`);
  }

  empty(): Promise<Answer> {
    return this.user.call('DELETE', `${this.#root}/trash`);
  }
}
