import type { z } from 'zod';
import { ApiClient, type Answer } from '../api-client.js';

export type Pair = readonly [name: string, value: string];

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
export const READING_LIST = 'user/-/state/com.google/reading-list';
export const READ = 'user/-/state/com.google/read';
export const STARRED = 'user/-/state/com.google/starred';
export const LONG_ID = 'tag:google.com,2005:reader/item/';

const FIRST_ID = 1_000_000_000_000_000;

/** Percent-encoded, in this order, as FormBody, FormDataContent and URLSearchParams write it. */
export const form = (pairs: readonly Pair[]): string =>
  pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');

/** The item behind an id that a program holds in decimals. */
export const itemOf = (decimal: string): number => Number(decimal) - FIRST_ID;

/** The item behind the long form, or behind its last part. */
export function itemOfLong(id: string): number {
  const hex = id.slice(id.lastIndexOf('/') + 1);
  if (!/^[0-9a-f]{16}$/.test(hex)) {
    throw new Error(`Not 16 hexadecimal digits: ${id}`);
  }
  return Number(BigInt(`0x${hex}`)) - FIRST_ID;
}

export const decimal = (item: number): string => String(FIRST_ID + item);
export const hex = (item: number): string => (FIRST_ID + item).toString(16).padStart(16, '0');
export const long = (item: number): string => LONG_ID + hex(item);

/** What a program makes of an answer that its decoder does not accept. */
export class Undecodable extends Error {}

export function decode<Shape>(schema: z.ZodType<Shape>, value: unknown): Shape {
  const { success, data, error } = schema.safeParse(value);
  if (!success) {
    throw new Undecodable(`${error.message} in ${JSON.stringify(value)?.slice(0, 2000)}`);
  }
  return data;
}

/** An answer other than 200. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    what: string,
  ) {
    super(what);
  }
}

/** The requests of one program: its base address, its User-Agent, its token in the header. */
export class ReaderWire {
  readonly #api: ApiClient;
  auth: string | null = null;

  constructor(
    readonly base: string,
    private readonly userAgent: string,
  ) {
    this.#api = new ApiClient(base);
  }

  /** @throws Refused for anything but 200 */
  async call(
    method: string,
    path: string,
    body?: string | Buffer,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const answer = await this.#api.call(method, path, {
      ...(body === undefined ? {} : { body }),
      headers: {
        'user-agent': this.userAgent,
        ...(this.auth === null ? {} : { authorization: `GoogleLogin auth=${this.auth}` }),
        ...headers,
      },
    });
    if (answer.status !== 200) {
      const what = `${answer.status} to ${method} ${path}: ${answer.text.slice(0, 300)}`;
      throw new Refused(answer.status, what);
    }
    return answer;
  }

  async json<Shape>(schema: z.ZodType<Shape>, path: string): Promise<Shape> {
    return decode(schema, (await this.call('GET', path)).json);
  }

  async text(path: string): Promise<string> {
    return (await this.call('GET', path)).text;
  }

  /** A form in this order. */
  post(path: string, pairs: readonly Pair[]): Promise<Answer> {
    return this.call('POST', path, form(pairs), FORM);
  }

  /** A form that is not percent-encoded, as programs send it that paste strings together. */
  postRaw(path: string, body: string): Promise<Answer> {
    return this.call('POST', path, body, FORM);
  }

  /** For programs that compare the body of an edit with "OK". */
  async mustBeOk(answer: Promise<Answer>): Promise<void> {
    const { text } = await answer;
    if (text !== 'OK') {
      throw new Undecodable(`Not exactly "OK": ${JSON.stringify(text.slice(0, 300))}`);
    }
  }
}

/** The value behind `Auth=` in the three lines of a login. */
export function authLine(text: string): string {
  const line = text.split('\n').find((each) => each.startsWith('Auth='));
  const value = line?.slice('Auth='.length);
  if (value === undefined || value === '' || /[\s=]/.test(value)) {
    throw new Undecodable(`No token in ${JSON.stringify(text)}`);
  }
  return value;
}
