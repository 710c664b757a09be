import type { IncomingMessage } from 'node:http';
import { Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import { errorCode, ResponseTooLarge, ResponseUnreadable } from './outgoing-errors.js';

interface BodyLimits {
  /** Bytes as they come over the network. */
  readonly maxWireBytes: number;
  /** Bytes after the content encoding was undone. */
  readonly maxDecodedBytes: number;
}

/**
 * For `Accept-Encoding`. Not `deflate`: half of the servers mean one format by it, half another. Who
 * sends it unasked is understood if it is the one of the standard.
 */
export const ACCEPTED_ENCODINGS = 'gzip, br, zstd';

const MIB = 1024 * 1024;

/** A document that shrinks more than this is not text but a trap. */
const MAX_COMPRESSION_RATIO = 100;
const RATIO_IS_CHECKED_FROM_BYTES = MIB;

/** Encodings may be stacked, but an honest server applies one. */
const MAX_STACKED_ENCODINGS = 2;

/** RFC 9659: what a receiver of zstd has to support, and so all that a sender may ask for. */
const ZSTD_WINDOW_LOG = 23;

/**
 * Reads a response to its end, undoing its content encoding, and stops at the first byte too many.
 * Answers that describe a body without sending it (304, or any to HEAD) yield no bytes.
 *
 * @param host how error messages name the server
 * @param method of the request that was answered
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
    const hasBody = method !== 'HEAD' && ![204, 304].includes(response.statusCode ?? 0);
    if (hasBody && Number(response.headers['content-length']) > maxWireBytes) {
      throw tooLarge(maxWireBytes);
    }
    const decoders = hasBody ? decodersFor(response, host) : [];
    await pipeline([response, countWire, ...decoders, collect], { signal });
  } catch (error) {
    response.destroy();
    throw isDecodingError(error) ? new ResponseUnreadable(host, DAMAGED) : error;
  }
  return Buffer.concat(chunks, decodedBytes);
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

// Old servers forget the trailer of gzip and deflate; like browsers, we take what there is.
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
