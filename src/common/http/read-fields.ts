import { BadRequestException, UnsupportedMediaTypeException } from '@nestjs/common';
import type { Request } from 'express';
import { Turns } from '../turns.js';
import { KIB } from '../units.js';
import { piecesOfForm } from './form-pieces.js';
import { inputBodiesOf } from './input-bodies.js';
import { originalOf } from './request-right.js';

/** Suffices for the flags of ten thousand items in the longest form, several times over. */
const MOST_FIELDS = 50_000;

/** Clients send only their log-in in this form. */
const LARGEST_MULTIPART_BYTES = 64 * KIB;

/** The fields of a request, in their order; names in brackets are names. */
export class Fields {
  readonly #values = new Map<string, string[]>();

  constructor(pairs: Iterable<readonly [string, string]>) {
    this.#add(pairs);
  }

  /**
   * Of a form, in turns with other requests.
   *
   * @throws PayloadTooLargeException
   */
  static async ofForm(text: string): Promise<Fields> {
    const fields = new Fields([]);
    const turns = new Turns();
    for (const pairs of piecesOfForm(text, MOST_FIELDS)) {
      fields.#add(pairs);
      await turns.take();
    }
    return fields;
  }

  #add(pairs: Iterable<readonly [string, string]>): void {
    for (const [name, value] of pairs) {
      const values = this.#values.get(name);
      if (values === undefined) {
        this.#values.set(name, [value]);
      } else {
        values.push(value);
      }
    }
  }

  /** All values of a name, also the empty ones. */
  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /**
   * The distinct values, where each costs a look-up.
   *
   * @throws BadRequestException for more than `most` of them
   */
  distinct(name: string, most: number): readonly string[] {
    const values = [...new Set(this.all(name))];
    if (values.length > most) {
      throw new BadRequestException(`The request has more than ${most} fields "${name}".`);
    }
    return values;
  }

  /** The first value; undefined if it is absent or empty. */
  one(name: string): string | undefined {
    return this.all(name)[0] || undefined;
  }

  /** These fields, and the query's for other names. */
  orElse(query: Fields): Fields {
    const both = new Fields([]);
    for (const [name, values] of [...query.#values, ...this.#values]) {
      both.#values.set(name, values);
    }
    return both;
  }
}

const FIELDS = new WeakMap<Request, Fields>();

/**
 * Reads query and body of a request, once. A body in an unknown type is a form, since some clients name
 * none; `multipart/form-data` is read as well. Fields of the body replace the query's.
 *
 * @throws PayloadTooLargeException for too many bytes or fields
 * @throws UnsupportedMediaTypeException for compressed bodies
 * @throws BadRequestException for a broken multipart form
 */
export async function readFields(request: Request, largestBytes: number): Promise<Fields> {
  const original = originalOf(request);
  const fields = FIELDS.get(original) ?? (await readNow(original, largestBytes));
  FIELDS.set(original, fields);
  return fields;
}

async function readNow(request: Request, largestBytes: number): Promise<Fields> {
  const query = await Fields.ofForm(queryOf(request));
  if (request.method === 'GET' || request.method === 'HEAD') {
    return query;
  }
  const { 'content-encoding': encoding = '', 'content-type': type = '' } = request.headers;
  if (!/^(?:identity)?$/i.test(encoding.trim())) {
    throw new UnsupportedMediaTypeException('Compressed forms are not read.');
  }
  const isMultipart = /^\s*multipart\/form-data\b/i.test(type);
  const most = isMultipart ? Math.min(largestBytes, LARGEST_MULTIPART_BYTES) : largestBytes;
  const body = await inputBodiesOf(request).readInTurn(request, most);
  const sent = isMultipart
    ? await multipartFields(body, type)
    : await Fields.ofForm(body.toString('utf8'));
  return sent.orElse(query);
}

function queryOf({ url }: Request): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}

async function multipartFields(body: Buffer, type: string): Promise<Fields> {
  try {
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': type },
    }).formData();
    return new Fields(
      [...form].flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value] as const] : [],
      ),
    );
  } catch {
    throw new BadRequestException('The multipart form cannot be read.');
  }
}
