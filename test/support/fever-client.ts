import { createHash } from 'node:crypto';
import { AppPasswordsService } from '../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { ApiClient, type Answer } from './api-client.js';
import type { TestApp, TestUser } from './start-app.js';

export interface FeverItem {
  readonly id: number;
  readonly feed_id: number;
  readonly title: string;
  readonly author: string;
  readonly html: string;
  readonly url: string;
  readonly is_saved: number;
  readonly is_read: number;
  readonly created_on_time: number;
}

/** An answer; which members it has depends on the request. */
export interface FeverJson {
  readonly api_version: number;
  readonly auth: number;
  readonly last_refreshed_on_time: number;
  readonly groups: readonly { readonly id: number; readonly title: string }[];
  readonly feeds: readonly {
    readonly id: number;
    readonly favicon_id: number;
    readonly title: string;
    readonly url: string;
    readonly site_url: string;
    readonly is_spark: number;
    readonly last_updated_on_time: number;
  }[];
  readonly feeds_groups: readonly { readonly group_id: number; readonly feed_ids: string }[];
  readonly favicons: readonly { readonly id: number; readonly data: string }[];
  readonly items: readonly FeverItem[];
  readonly total_items: number;
  readonly unread_item_ids: string;
  readonly saved_item_ids: string;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** A client of the Fever API: selectors in the query, the key in a form. */
export class FeverClient {
  readonly #api: ApiClient;

  constructor(
    baseUrl: string,
    readonly key: string,
  ) {
    this.#api = new ApiClient(baseUrl);
  }

  /** @param query for instance `items&since_id=3` */
  async ask(query: string): Promise<FeverJson> {
    const { status, json, text } = await this.post(`/fever/?api&${query}`);
    if (status !== 200) {
      throw new Error(`Expected 200, but the answer is ${status}: ${text.slice(0, 500)}`);
    }
    return json as FeverJson;
  }

  post(path: string, form = ''): Promise<Answer> {
    return this.send(path, `api_key=${this.key}&${form}`);
  }

  send(path: string, form: string): Promise<Answer> {
    return this.#api.call('POST', path, { body: form, headers: FORM });
  }

  get(path: string): Promise<Answer> {
    return this.#api.get(path);
  }

  async items(query = ''): Promise<readonly FeverItem[]> {
    return (await this.ask(`items&${query}`)).items;
  }

  async titles(query = ''): Promise<string[]> {
    return (await this.items(query)).map(({ title }) => title);
  }

  async unreadIds(): Promise<number[]> {
    return idsIn((await this.ask('unread_item_ids')).unread_item_ids);
  }

  async savedIds(): Promise<number[]> {
    return idsIn((await this.ask('saved_item_ids')).saved_item_ids);
  }
}

export function idsIn(text: string): number[] {
  return text === '' ? [] : text.split(',').map(Number);
}

/** What clients compute from user name and password. */
export function feverKey(userId: string, password: string): string {
  return createHash('md5').update(`${userId}:${password}`).digest('hex');
}

/** With an app password of the user for Fever. */
export async function feverClientOf(
  app: Pick<TestApp, 'url' | 'inside'>,
  user: TestUser,
): Promise<FeverClient> {
  const { userId } = user.credentials;
  const { token } = await app
    .inside(AppPasswordsService)
    .add(userId, 'an old client', { fever: true });
  return new FeverClient(app.url, feverKey(userId, token));
}
