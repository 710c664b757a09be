import { ApiClient, type Answer } from './api-client.js';
import type { TestUser } from './start-app.js';

export interface GoogleItemJson {
  readonly id: string;
  readonly title: string;
  readonly published: number;
  readonly updated: number;
  readonly crawlTimeMsec: string;
  readonly timestampUsec: string;
  readonly author?: string;
  readonly summary: { readonly content: string };
  readonly canonical: readonly { readonly href: string }[];
  readonly alternate: readonly { readonly href: string; readonly type: string }[];
  readonly categories: readonly string[];
  readonly origin: { readonly streamId: string; readonly title: string; readonly htmlUrl: string };
  readonly enclosure?: readonly object[];
}

export interface ContentsJson {
  readonly id: string;
  readonly updated: number;
  readonly items: readonly GoogleItemJson[];
  readonly continuation?: string;
}

export interface IdsJson {
  readonly itemRefs: readonly { readonly id: string }[];
  readonly continuation?: string;
}

/** Names and values in their order; names may be repeated. */
export type FieldList = readonly (readonly [string, string])[];

export const STATE = 'user/-/state/com.google/';
export const LABEL = 'user/-/label/';
export const READING_LIST = `${STATE}reading-list`;

const BASE = 1_000_000_000_000_000n;

/** 16 decimal digits, as in lists of ids. */
export const decimalId = (itemId: number): string => String(BASE + BigInt(itemId));
/** 16 hexadecimal digits, as in the long form. */
export const hexId = (itemId: number): string =>
  (BASE + BigInt(itemId)).toString(16).padStart(16, '0');
export const longId = (itemId: number): string =>
  `tag:google.com,2005:reader/item/${hexId(itemId)}`;
/** The item ids of this service. */
export const itemNumbers = (ids: readonly string[]): number[] =>
  ids.map((id) => Number(BigInt(id) - BASE));

/** A client of the Google Reader API with a token. */
export class GoogleReaderClient {
  readonly api: ApiClient;

  constructor(
    baseUrl: string,
    readonly token: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    this.api = new ApiClient(baseUrl);
  }

  /** Logs in with the user's password. */
  static async of(user: TestUser, userAgent = 'Reeder/5.4'): Promise<GoogleReaderClient> {
    const answer = await logIn(user, { 'user-agent': userAgent });
    const token = /^Auth=(.+)$/m.exec(answer.text)?.[1];
    if (token === undefined) {
      throw new Error(`No token: ${answer.status} ${answer.text}`);
    }
    return new GoogleReaderClient(user.baseUrl, token, { 'user-agent': userAgent });
  }

  /** @param path below `/reader/api/0/` */
  async get(path: string, query: FieldList = []): Promise<Answer> {
    const text = formOf(query);
    return this.call('GET', `${path}${text === '' ? '' : `?${text}`}`);
  }

  async post(path: string, fields: FieldList = []): Promise<Answer> {
    const body = formOf(fields);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.call('POST', path, { body, headers });
  }

  async call(
    method: string,
    path: string,
    options: { body?: string | Buffer; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Answer> {
    const authorization = `GoogleLogin auth=${this.token}`;
    const headers = { authorization, ...this.headers, ...options.headers };
    return this.api.call(method, `/reader/api/0/${path}`, { ...options, headers });
  }

  /** Decimal ids of a stream. */
  async ids(stream: string, query: FieldList = [['n', '1000']]): Promise<readonly string[]> {
    const { json } = await this.get('stream/items/ids', [['s', stream], ...query]);
    return (json as IdsJson).itemRefs.map(({ id }) => id);
  }

  async contents(stream: string, query: FieldList = []): Promise<ContentsJson> {
    const { json } = await this.get(`stream/contents/${encodeURIComponent(stream)}`, query);
    return json as ContentsJson;
  }

  async titles(stream: string, query: FieldList = []): Promise<readonly string[]> {
    return (await this.contents(stream, query)).items.map(({ title }) => title);
  }

  async item(title: string): Promise<GoogleItemJson> {
    const { items } = await this.contents(READING_LIST, [['n', '1000']]);
    const found = items.find((item) => item.title === title);
    if (found === undefined) {
      throw new Error(`There is no item "${title}".`);
    }
    return found;
  }
}

export function formOf(fields: FieldList): string {
  return new URLSearchParams(
    fields.map(([name, value]): [string, string] => [name, value]),
  ).toString();
}

export async function logIn(
  { baseUrl, credentials }: TestUser,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { userId, password } = credentials;
  const body = new URLSearchParams({ Email: userId, Passwd: password }).toString();
  return new ApiClient(baseUrl).call('POST', '/accounts/ClientLogin', {
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
}
