import type { IncomingMessage } from 'node:http';
import { addAbortSignal, Readable, Writable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
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

const MIB = 1024 * 1024;

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

  let isCut = false;
  let wireBytes = 0;
  async function* countWire(): AsyncGenerator<Buffer> {
    for await (const chunk of response.iterator({ destroyOnReturn: false })) {
      wireBytes += chunk.length;
      isCut = wireBytes > maxWireBytes;
      if (isCut && !isLenient) {
        throw tooLarge(maxWireBytes);
      }
      yield isCut ? chunk.subarray(0, maxWireBytes - wireBytes) : chunk;
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
  collect.once('error', () => response.destroy());

  try {
    if (!isLenient && Number(response.headers['content-length']) > maxWireBytes) {
      throw tooLarge(maxWireBytes);
    }
    const decoders = decodersFor(response, host);
    addAbortSignal(signal, response);
    const stages = [Readable.from(countWire()), ...decoders, collect];
    await pipeline(stages, { signal }).catch((error: unknown) => {
      isCut = error === ENOUGH;
      if (!isCut) {
        throw error;
      }
    });
    const body = Buffer.concat(chunks);
    const isZipped = isLenient && body[0] === 0x1f && body[1] === 0x8b;
    const limit = { ...lenient, maxOutputLength: maxDecodedBytes };
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

/** Values that name no compression, such as `none` or `UTF-8`, are a mistake. */
function decodersFor(response: IncomingMessage, host: string): Transform[] {
  const encodings = (response.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((encoding) => encoding.trim())
    .filter((encoding) => DECODERS.has(encoding) || OTHER_COMPRESSIONS.test(encoding));
  return encodings.reverse().map((encoding) => {
    const create = DECODERS.get(encoding);
    if (!create || encodings.length > MAX_STACKED_ENCODINGS) {
      throw new ResponseUnreadable(host, 'a document in an unknown compression');
    }
    return create();
  });
}

const { BROTLI_OPERATION_FLUSH, ZSTD_e_flush, ZSTD_d_windowLogMax } = zlib.constants;
// Old servers omit the trailer of gzip and deflate; like browsers, accept that.
const lenient = { finishFlush: zlib.constants.Z_SYNC_FLUSH };

const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);

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
