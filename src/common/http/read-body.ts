import type { IncomingMessage } from 'node:http';
import { addAbortSignal, Readable, Writable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { MIB } from '../units.js';
import { errorCode, ResponseTooLarge, ResponseUnreadable } from './outgoing-errors.js';

interface BodyLimits {
  readonly maxWireBytes: number;
  readonly maxDecodedBytes: number;
  /** @see OutgoingRequest.isLenient */
  readonly isLenient: boolean;
}

/**
 * Value of `Accept-Encoding`. Not `deflate`, for which servers use two formats; the standard one is decoded
 * if sent.
 */
export const ACCEPTED_ENCODINGS = 'gzip, br, zstd';

/** Higher ratios are taken for a decompression bomb. */
const MAX_COMPRESSION_RATIO = 100;
const RATIO_IS_CHECKED_FROM_BYTES = MIB;

/** Servers normally apply one. */
const MAX_STACKED_ENCODINGS = 2;

/** RFC 9659: maximum window of zstd in HTTP. */
const ZSTD_WINDOW_LOG = 23;

/**
 * Reads and decodes a response body, and stops at the size limits. Responses without a body (304, or to
 * HEAD) are empty.
 *
 * @param host for error messages
 * @param method of the request
 * @returns the body, and whether it exceeded the limits
 * @throws ResponseTooLarge, ResponseUnreadable; the error of the connection when that breaks
 */
export async function readBody(
  response: IncomingMessage,
  { maxWireBytes, maxDecodedBytes, isLenient }: BodyLimits,
  host: string,
  method: string,
  signal: AbortSignal,
): Promise<{ readonly body: Uint8Array; readonly isCut: boolean }> {
  if (!hasBody(response, method)) {
    response.resume();
    return { body: new Uint8Array(), isCut: false };
  }
  const tooLarge = (maxBytes: number): ResponseTooLarge =>
    new ResponseTooLarge(host, `more than ${describeBytes(maxBytes)}`);

  const encodings = encodingsOf(response);
  /** The body as sent, if it is encoded: a fault of the encoding shows at its end. */
  const wire: Buffer[] = [];
  let isCut = false;
  let wireBytes = 0;
  async function* countWire(): AsyncGenerator<Buffer> {
    for await (const chunk of response.iterator({ destroyOnReturn: false })) {
      wireBytes += chunk.length;
      isCut = wireBytes > maxWireBytes;
      if (isCut && !isLenient) {
        throw tooLarge(maxWireBytes);
      }
      const piece = isCut ? chunk.subarray(0, maxWireBytes - wireBytes) : chunk;
      if (encodings.length > 0) {
        wire.push(piece);
      }
      yield piece;
      if (isCut) {
        // Ends without an error, so that decoders flush.
        return;
      }
    }
  }

  let decodedBytes = 0;
  const isBomb = (): boolean =>
    decodedBytes > RATIO_IS_CHECKED_FROM_BYTES && decodedBytes > wireBytes * MAX_COMPRESSION_RATIO;
  const chunks: Buffer[] = [];
  const collect = new Writable({
    write(chunk: Buffer, _encoding, done) {
      decodedBytes += chunk.length;
      const excess = decodedBytes - maxDecodedBytes;
      chunks.push(excess > 0 ? chunk.subarray(0, -excess) : chunk);
      const end = excess > 0 ? (isLenient ? ENOUGH : tooLarge(maxDecodedBytes)) : null;
      done(isBomb() ? new ResponseTooLarge(host, A_BOMB) : end);
    },
  });
  // The source may be waiting for more.
  collect.once('error', (error) => isDecodingError(error) || response.destroy());
  const limit = { ...lenient, maxOutputLength: maxDecodedBytes };

  try {
    if (!isLenient && Number(response.headers['content-length']) > maxWireBytes) {
      throw tooLarge(maxWireBytes);
    }
    const decoders = decodersFor(encodings, host);
    addAbortSignal(signal, response);
    const stages = [Readable.from(countWire()), ...decoders, collect];
    const failure = await pipeline(stages, { signal }).then(
      () => null,
      (error: unknown) => error,
    );
    isCut ||= failure === ENOUGH;
    const body = Buffer.concat(chunks);
    const isOther = isDecodingError(failure);
    if (isOther) {
      // Reads the rest.
      await pipeline(countWire, new Writable({ write: (_piece, _encoding, done) => done() }));
    } else if (failure && failure !== ENOUGH && !(isLenient && isWhole(response, body, failure))) {
      throw failure;
    }
    if (isOther || (body.length === 0 && isText(Buffer.concat(wire)))) {
      return { body: await undo(Buffer.concat(wire), encodings, limit, host), isCut };
    }
    const isZipped = isLenient && isGzip(body);
    return { body: isZipped ? await gunzip(body, limit) : body, isCut };
  } catch (error) {
    if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE') {
      throw tooLarge(maxDecodedBytes);
    }
    throw isDecodingError(error) ? new ResponseUnreadable(host, DAMAGED) : error;
  } finally {
    if (!response.readableEnded) {
      response.destroy();
    }
  }
}

/** @param method of the request */
export function hasBody(response: IncomingMessage, method: string): boolean {
  return method !== 'HEAD' && response.statusCode !== 204 && response.statusCode !== 304;
}

/** Ends a pipeline at a limit. */
const ENOUGH = new Error('enough');
const A_BOMB = 'a suspiciously compressed document';
const DAMAGED = 'a compressed document that is damaged';

/** The last one first. Values that name no compression, such as `none` or `UTF-8`, are a mistake. */
function encodingsOf(response: IncomingMessage): string[] {
  return (response.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((encoding) => encoding.trim())
    .filter((encoding) => DECODERS.has(encoding) || OTHER_COMPRESSIONS.test(encoding))
    .reverse();
}

function decodersFor(encodings: readonly string[], host: string): Transform[] {
  return encodings.map((encoding) => {
    const create = DECODERS.get(encoding);
    if (!create || encodings.length > MAX_STACKED_ENCODINGS) {
      throw new ResponseUnreadable(host, 'a document in an unknown compression');
    }
    return create();
  });
}

/**
 * What other readers make of a body that is not quite what its encodings (the last one first) say: plain text, gzip
 * with something behind it, deflate without its header.
 */
async function undo(
  bytes: Buffer,
  encodings: readonly string[],
  limit: zlib.ZlibOptions,
  host: string,
): Promise<Buffer> {
  const [encoding, ...others] = encodings;
  if (encoding === undefined || isText(bytes)) {
    return bytes;
  }
  // The low half of the first byte of RFC 1950 is its method.
  const isRaw = encoding === 'deflate' && ((bytes[0] ?? 0) & 15) !== 8;
  if (!isGzip(bytes) && !isRaw) {
    throw new ResponseUnreadable(host, DAMAGED);
  }
  const packed = isGzip(bytes) ? withoutGzipHeader(bytes) : bytes;
  return undo(await inflateRaw(packed, limit), others, limit, host);
}

/** Compressed bytes have control characters among the first few. */
function isText(bytes: Buffer): boolean {
  // oxlint-disable-next-line no-control-regex
  const hasControls = /[\u0000-\u0008\u000e-\u001f]/.test(bytes.toString('latin1', 0, 1024));
  return bytes.length > 8 && !hasControls;
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** RFC 1952: ten bytes, and what the fourth one says. */
function withoutGzipHeader(bytes: Buffer): Buffer {
  const flags = bytes[3] ?? 0;
  let end = 10 + ((flags & 4) === 0 ? 0 : 2 + (bytes[10] ?? 0) + 256 * (bytes[11] ?? 0));
  for (const text of [8, 16]) {
    end = (flags & text) === 0 ? end : bytes.indexOf(0, end) + 1;
  }
  return bytes.subarray(end + (flags & 2));
}

/** Whether the document is complete, though not the last piece it was sent in, which some servers leave out. */
function isWhole({ headers }: IncomingMessage, body: Buffer, failure: unknown): boolean {
  const isInPieces = headers['transfer-encoding'] !== undefined;
  const end = body.toString('latin1', Math.max(0, body.length - 64));
  const isEnd = /<\/(?:rss|feed|rdf:rdf|html)>\s*$/i.test(end);
  return isInPieces && isEnd && errorCode(failure) === 'ECONNRESET';
}

const { BROTLI_OPERATION_FLUSH, ZSTD_e_flush, ZSTD_d_windowLogMax } = zlib.constants;
// Old servers omit the trailer of gzip and deflate; like browsers, accept that.
const lenient = { finishFlush: zlib.constants.Z_SYNC_FLUSH };

const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);

const DECODERS = new Map<string, () => Transform>([
  ['gzip', () => zlib.createGunzip(lenient)],
  ['x-gzip', () => zlib.createGunzip(lenient)],
  ['deflate', () => zlib.createInflate(lenient)],
  ['br', () => zlib.createBrotliDecompress({ finishFlush: BROTLI_OPERATION_FLUSH })],
  [
    'zstd',
    () =>
      zlib.createZstdDecompress({
        finishFlush: ZSTD_e_flush,
        params: { [ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
      }),
  ],
]);

const OTHER_COMPRESSIONS =
  /^(?:x-)?(?:compress|bzip2?|xz|lzma|lz4|snappy|dc[bz]|exi|pack200-gzip)$/;

function isDecodingError(error: unknown): boolean {
  return /^(Z_|ERR__ERROR|ERR_BROTLI|ZSTD_)/.test(errorCode(error));
}

function describeBytes(bytes: number): string {
  return bytes >= MIB ? `${Math.floor(bytes / MIB)} MiB` : `${bytes} bytes`;
}
