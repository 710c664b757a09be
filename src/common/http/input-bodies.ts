import { BadRequestException, UnsupportedMediaTypeException } from '@nestjs/common';
import type { Request } from 'express';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Config } from '../config/config.js';
import type { EdgeRules } from '../config/edge-rules.js';
import { FairTurns } from '../fair-turns.js';
import { Turns } from '../turns.js';
import { KIB, MIB } from '../units.js';
import { BodyBudget, NoRoomForBody } from './body-budget.js';
import { parseForm } from './form-fields.js';
import { excessOfJson, MOST_VALUES, USUAL_VALUES } from './json-bounds.js';
import { USUAL_BODY_BYTES } from './largest-body.decorator.js';
import { errorCode } from './outgoing-errors.js';
import { bodyTooLarge, piecesOfBody } from './read-bounded-body.js';
import { originalOf } from './request-right.js';
import { senderOf, type Sender } from './sender.js';
import { whenClosed } from './when-closed.js';

/** Share of the memory for anonymous bodies that one network may use. */
const NETWORK_SHARE = 1 / 4;

/** Parsing and validating takes milliseconds from this size on. */
const LARGE_BYTES = 128 * KIB;

/** Characters of answers that are counted for users and apps; strangers get none but larger ones. */
const LARGE_ANSWER = 64 * KIB;

const JSON_TYPES = ['json', '+json'];
const FORM_TYPE = 'urlencoded';
const PLAIN_TYPE = 'text/plain';

interface ReadOptions {
  /** Limit for authenticated senders. */
  readonly largestBytes?: number;
  /** Limit for anonymous senders; default `GATEFOLD_ANONYMOUS_BODY_KIB`. */
  readonly largestAnonymousBytes?: number;
  /** Overrides the sender of the request. */
  readonly sender?: Sender;
  /** Whether scripts of other sites may call the route: browsers send their JSON as plain text, unless told otherwise. */
  readonly plainTextToo?: boolean;
}

interface PieceOptions {
  /** Overrides the sender of the request. */
  readonly sender?: Sender;
  readonly tooLarge?: () => Error;
}

/**
 * Reads JSON and forms on demand. That is after the guards, so bodies of anonymous requests are
 * never read where these are rejected. Size and memory limits depend on the sender.
 */
export class InputBodies {
  readonly #read = new WeakMap<Request, Promise<unknown>>();
  readonly #budget: BodyBudget;
  /** Parses large bodies one at a time; the budget bounds how many wait. */
  readonly #turns = new FairTurns(
    { atOnce: 1, atOnceOfOwner: 1, waiting: Infinity, waitingOfOwner: Infinity },
    () => new NoRoomForBody(),
  );
  readonly #largestAnonymousBytes: number;

  constructor(
    config: Config,
    private readonly rules: EdgeRules,
  ) {
    this.#largestAnonymousBytes = config.anonymousBodyKib * KIB;
    this.#budget = new BodyBudget({
      anonymous: config.anonymousBodiesMib * MIB,
      network: config.anonymousBodiesMib * MIB * NETWORK_SHARE,
      known: config.userBodiesMib * MIB,
    });
  }

  /**
   * Parses the body once, and sets `request.body`; undefined if it is neither JSON nor a form.
   *
   * @throws NoRoomForBody
   * @throws BadRequestException for invalid JSON
   * @throws UnsupportedMediaTypeException for an unknown encoding
   */
  async read(request: Request, options: ReadOptions = {}): Promise<unknown> {
    if (this.rules.hasRawBody(request.path)) {
      return undefined;
    }
    const isForScripts = options.plainTextToo === true && this.rules.isCrossOrigin(request.path);
    const type = request.is([...JSON_TYPES, FORM_TYPE, ...(isForScripts ? [PLAIN_TYPE] : [])]);
    if (typeof type !== 'string') {
      // The route may have its own parser.
      return request.body;
    }
    const original = originalOf(request);
    const reading = this.#read.get(original) ?? this.#parse(original, type, options);
    this.#read.set(original, reading);
    request.body = await reading;
    return request.body;
  }

  /**
   * The pieces of a body that is neither JSON nor a form, which the caller keeps until the request is answered.
   *
   * @throws NoRoomForBody, TooManyBodies
   * @throws PayloadTooLargeException, or the error of `tooLarge`
   */
  async *pieces(
    request: Request,
    maxBytes: number,
    { sender = senderOf(request), tooLarge }: PieceOptions = {},
  ): AsyncGenerator<Buffer> {
    const held = { bytes: 0, isOver: false };
    if (request.res !== undefined) {
      whenClosed(request.res, () => {
        held.isOver = true;
        this.#budget.giveBack(sender, held.bytes);
      });
    }
    for await (const piece of piecesOfBody(request, maxBytes, tooLarge)) {
      // A piece that waited for its turn may come after the client has gone.
      if (!held.isOver) {
        this.#budget.take(sender, piece.length);
        held.bytes += piece.length;
      }
      yield piece;
    }
  }

  /** All bytes of such a body. @throws as `pieces` */
  async readBytes(request: Request, maxBytes: number, options?: PieceOptions): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.pieces(request, maxBytes, options)) {
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  /**
   * Reads a body, and waits for the turn of its sender to parse it: the caller does so at once.
   *
   * @throws as `pieces`
   */
  async readInTurn(request: Request, maxBytes: number): Promise<Buffer> {
    const bytes = await this.readBytes(request, maxBytes);
    setImmediate(await this.#turns.begin(senderOf(request).key));
    return bytes;
  }

  /** Counts a large answer like the sender's bodies, until it is sent. @throws TooManyBodies */
  countAnswer(request: Request, answer: string): string {
    const sender = senderOf(request);
    if (answer.length >= (sender.known ? LARGE_ANSWER : MIB) && request.res !== undefined) {
      this.#budget.take(sender, answer.length);
      whenClosed(request.res, () => this.#budget.giveBack(sender, answer.length));
    }
    return answer;
  }

  async #parse(request: Request, type: string, options: ReadOptions): Promise<unknown> {
    const sender = options.sender ?? senderOf(request);
    const maxBytes = sender.known
      ? (options.largestBytes ?? USUAL_BODY_BYTES)
      : (options.largestAnonymousBytes ?? this.#largestAnonymousBytes);
    const sent = await this.readBytes(request, maxBytes, { sender });
    const bytes = await decoded(sent, request, maxBytes);
    if (type === PLAIN_TYPE && !/^\s*\{/.test(bytes.toString('latin1', 0, KIB))) {
      return {};
    }
    const mostValues = maxBytes > USUAL_BODY_BYTES ? MOST_VALUES : USUAL_VALUES;
    const isLarge = bytes.length >= LARGE_BYTES;
    const end = isLarge ? await this.#turns.begin(sender.key) : () => {};
    const turns = new Turns(isLarge ? 0 : undefined);
    try {
      const parsed =
        type === FORM_TYPE
          ? await parseForm(await textOf(bytes, request, turns), turns)
          : await parseJson(bytes, request, mostValues, turns);
      // Before it is validated.
      await turns.take();
      return parsed;
    } finally {
      // Lets other requests run between two bodies.
      setImmediate(end);
    }
  }
}

const SETTING = 'input bodies';

/** Provides `InputBodies` to all requests of the application. */
export function provideInputBodies(
  app: { set(name: string, value: unknown): unknown },
  bodies: InputBodies,
): void {
  app.set(SETTING, bodies);
}

/** The `InputBodies` of the request's application. */
export function inputBodiesOf({ app }: Request): InputBodies {
  return app.get(SETTING) as InputBodies;
}

const DECODERS = new Map([
  ['gzip', promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip)],
  ['deflate', promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate)],
  ['br', promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress)],
]);

async function decoded(sent: Buffer, request: Request, maxBytes: number): Promise<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '' || sent.length === 0) {
    return sent;
  }
  const decode = DECODERS.get(encoding);
  if (decode === undefined) {
    throw new UnsupportedMediaTypeException(`Bodies encoded as "${encoding}" are not read.`);
  }
  try {
    return await decode(sent, { maxOutputLength: maxBytes });
  } catch (error) {
    if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE') {
      throw bodyTooLarge(maxBytes);
    }
    throw new BadRequestException(`The request body is not encoded as "${encoding}".`);
  }
}

async function textOf(bytes: Uint8Array, request: Request, turns: Turns): Promise<string> {
  const type = request.headers['content-type'] ?? '';
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1] ?? 'utf-8';
  try {
    const decoder = new TextDecoder(charset);
    let text = '';
    for (let at = 0; at < bytes.length; at += MIB) {
      text += decoder.decode(bytes.subarray(at, at + MIB), { stream: true });
      await turns.take();
    }
    return text + decoder.decode();
  } catch {
    throw new UnsupportedMediaTypeException(`Bodies in the charset "${charset}" are not read.`);
  }
}

/**
 * An object or array, like all JSON bodies of the APIs. An empty body and `null` are an empty
 * object, since null parameters count as absent.
 */
async function parseJson(
  bytes: Uint8Array,
  request: Request,
  mostValues: number,
  turns: Turns,
): Promise<unknown> {
  if (bytes.length === 0) {
    return {};
  }
  const excess = excessOfJson(bytes, mostValues);
  if (excess !== null) {
    throw new BadRequestException(`The request body ${excess}.`);
  }
  await turns.take();
  const text = await textOf(bytes, request, turns);
  const hasHalves = HALF_PAIR.test(text);
  await turns.take();
  const value = valueOf(text) ?? {};
  if (typeof value !== 'object') {
    throw new BadRequestException('The request body must be a JSON object or list.');
  }
  if (!hasHalves) {
    return value;
  }
  await turns.take();
  return wellFormed(value);
}

/** An escaped half of a surrogate pair, perhaps without the other. */
const HALF_PAIR = /\\u[dD][89a-fA-F]/;

/** Half of a pair is no character: JSON columns take it, and then fail whenever they are read. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.toWellFormed();
  }
  if (Array.isArray(value)) {
    return value.map(wellFormed);
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value).map(([key, one]) => [key.toWellFormed(), wellFormed(one)]),
      )
    : value;
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadRequestException('The request body is not valid JSON.');
  }
}
