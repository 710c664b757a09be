import type { IncomingMessage } from 'node:http';
import { Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import { errorCode, ResponseTooLarge, ResponseUnreadable } from './outgoing-errors.js';

interface BodyLimits {
  /** Bytes on the wire. */
  readonly maxWireBytes: number;
  /** Bytes after decoding. */
  readonly maxDecodedBytes: number;
}

/**
 * For `Accept-Encoding`. Not `deflate`, for which servers use two formats; the standard one is
 * decoded if sent.
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
 * Reads and decodes a response body, and stops at the size limits. Responses without a body (304,
 * or to HEAD) are empty.
 *
 * @param host for error messages
 * @param method of the request
 * @throws ResponseTooLarge, ResponseUnreadable; the error of the connection when that breaks
 */
export async function readBody(
  response: IncomingMessage,
  limits: BodyLimits,
  host: string,
  method: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { maxWireBytes, maxDecodedBytes } = limits;
  if (!hasBody(response, method)) {
    response.resume();
    return new Uint8Array();
  }
  const tooLarge = (maxBytes: number): ResponseTooLarge =>
    new ResponseTooLarge(host, `more than ${describeBytes(maxBytes)}`);

  let wireBytes = 0;
  const countWire = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      wireBytes += chunk.length;
      done(wireBytes > maxWireBytes ? tooLarge(maxWireBytes) : null, chunk);
    },
  });

  let decodedBytes = 0;
  const isBomb = (): boolean =>
    decodedBytes > RATIO_IS_CHECKED_FROM_BYTES && decodedBytes > wireBytes * MAX_COMPRESSION_RATIO;
  const chunks: Buffer[] = [];
  const collect = new Writable({
    write(chunk: Buffer, _encoding, done) {
      decodedBytes += chunk.length;
      chunks.push(chunk);
      if (decodedBytes > maxDecodedBytes) {
        return done(tooLarge(maxDecodedBytes));
      }
      return done(isBomb() ? new ResponseTooLarge(host, A_BOMB) : null);
    },
  });

  try {
    if (Number(response.headers['content-length']) > maxWireBytes) {
      throw tooLarge(maxWireBytes);
    }
    const decoders = decodersFor(response, host);
    await pipeline([response, countWire, ...decoders, collect], { signal });
  } catch (error) {
    response.destroy();
    throw isDecodingError(error) ? new ResponseUnreadable(host, DAMAGED) : error;
  }
  return Buffer.concat(chunks, decodedBytes);
}

/** @param method of the request */
export function hasBody(response: IncomingMessage, method: string): boolean {
  return method !== 'HEAD' && response.statusCode !== 204 && response.statusCode !== 304;
}

const A_BOMB = 'a suspiciously compressed document';
const DAMAGED = 'a compressed document that is damaged';

function decodersFor(response: IncomingMessage, host: string): Transform[] {
  const encodings = (response.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== '' && encoding !== 'identity');
  if (encodings.length > MAX_STACKED_ENCODINGS) {
    throw new ResponseUnreadable(host, 'a document compressed several times over');
  }
  return encodings.reverse().map((encoding) => {
    const create = DECODERS.get(encoding);
    if (!create) {
      throw new ResponseUnreadable(host, 'a document in an unknown compression');
    }
    return create();
  });
}

// Old servers omit the trailer of gzip and deflate; like browsers, accept that.
const lenient = { finishFlush: zlib.constants.Z_SYNC_FLUSH };

const DECODERS = new Map<string, () => Transform>([
  ['gzip', () => zlib.createGunzip(lenient)],
  ['x-gzip', () => zlib.createGunzip(lenient)],
  ['deflate', () => zlib.createInflate(lenient)],
  ['br', () => zlib.createBrotliDecompress()],
  [
    'zstd',
    () =>
      zlib.createZstdDecompress({
        params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
      }),
  ],
]);

function isDecodingError(error: unknown): boolean {
  return /^(Z_|ERR__ERROR|ERR_BROTLI|ZSTD_)/.test(errorCode(error));
}

function describeBytes(bytes: number): string {
  return bytes >= MIB ? `${Math.floor(bytes / MIB)} MiB` : `${bytes} bytes`;
}
