import { HttpException } from '@nestjs/common';
import type { Response, Request } from 'express';
import type { Readable } from 'node:stream';
import { DomainError } from '../../../common/errors/domain-error.js';
import { sendStream } from '../../../common/http/send-stream.js';
import { Offer } from '../../../common/ports/offer.js';
import { ConditionFailed } from '../files.errors.js';
import { httpDate } from '../properties/properties.js';
import type { BytePart } from '../stores/content-store.js';
import { isHarmless } from '../tree/file-kinds.js';
import type { FilePath } from '../tree/file-path.js';
import type { StoredNode } from '../tree/nodes.sql.js';

/** Without archives, folders have no content. */
export class ArchivesOffer extends Offer<{
  /** Sends a folder as an archive. @throws FileNotFound, TreeTooLarge */
  send(response: Response, userId: string, path: FilePath): Promise<void>;
}> {}

/** The content of a file, or a preview of it. */
export interface SentContent {
  readonly sizeBytes: number;
  /** @param part default: everything */
  readonly open: (part?: BytePart) => Promise<Readable>;
}

/** Clients may pause a download and resume it. */
const STALLED_AFTER_MS = 600_000;

/** Uploaded content must neither run scripts nor load anything when a browser displays it. */
const SANDBOX = "sandbox; default-src 'none'; frame-ancestors 'none'";

/** Sends the content of a file: all of it, a range, or 304. @throws ConditionFailed */
export async function sendContent(
  response: Response,
  node: StoredNode,
  content: SentContent,
): Promise<void> {
  const { req: request } = response;
  if (!isHarmless(node.mime)) {
    response.attachment(node.name);
  }
  response.set({
    'Accept-Ranges': 'bytes',
    'Content-Type': node.mime.startsWith('text/') ? `${node.mime}; charset=utf-8` : node.mime,
    'Content-Security-Policy': SANDBOX,
    'Cache-Control': 'private, no-cache',
    ETag: `"${node.etag}"`,
    'OC-ETag': `"${node.etag}"`,
    'Last-Modified': httpDate(node.mtimeSeconds),
    ...(node.checksum !== '' && { 'OC-Checksum': node.checksum }),
  });
  if (!preconditionHolds(request, response)) {
    throw new ConditionFailed('The file does not match the conditional headers of the request.');
  }
  if (request.fresh) {
    response.removeHeader('Content-Type');
    response.status(304).end();
    return;
  }
  const part = partOf(request, response, content.sizeBytes);
  if (part === 'outside') {
    response.setHeader('Content-Range', `bytes */${content.sizeBytes}`);
    throw new HttpException(
      `The range is outside the file, which has ${content.sizeBytes} bytes.`,
      416,
    );
  }
  const opened = request.method === 'HEAD' ? undefined : await opening(node, content, part);
  if (part === undefined) {
    response.setHeader('Content-Length', content.sizeBytes);
  } else {
    response.status(206).set({
      'Content-Range': `bytes ${part.start}-${part.end}/${content.sizeBytes}`,
      'Content-Length': String(part.end - part.start + 1),
    });
  }
  if (opened === undefined) {
    response.end();
    return;
  }
  await sendStream(response, opened, STALLED_AFTER_MS).catch((error: unknown) => {
    throw unreadable(node, error);
  });
}

/** Opens before the headers are sent, so that an unavailable store has its own status. */
async function opening(
  node: StoredNode,
  content: SentContent,
  part: BytePart | undefined,
): Promise<Readable> {
  try {
    return await content.open(part);
  } catch (error) {
    throw error instanceof DomainError ? error : unreadable(node, error);
  }
}

function unreadable(node: StoredNode, cause: unknown): Error {
  return new Error(`The content of file ${node.id} cannot be read`, { cause });
}

/**
 * Whether `If-Match` and `If-Unmodified-Since` allow the answer, by its `ETag` and `Last-Modified`.
 *
 * @see RFC 9110, 13.2.2
 */
function preconditionHolds(request: Request, response: Response): boolean {
  const match = request.get('if-match');
  if (match !== undefined) {
    const etag = String(response.get('ETag'));
    return match.trim() === '*' || match.split(',').some((one) => weak(one.trim()) === weak(etag));
  }
  const unmodifiedSince = Date.parse(request.get('if-unmodified-since') ?? '');
  return Number.isNaN(unmodifiedSince) || lastModifiedOf(response) <= unmodifiedSince;
}

/**
 * The requested bytes. @returns undefined for all of them: also for several ranges, other units, and if
 * `If-Range` names another version
 */
function partOf(
  request: Request,
  response: Response,
  sizeBytes: number,
): BytePart | 'outside' | undefined {
  if (!isRangeFresh(request, response)) {
    return undefined;
  }
  const ranges = request.range(sizeBytes, { combine: true });
  if (ranges === -1) {
    return 'outside';
  }
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) {
    return undefined;
  }
  return ranges[0];
}

function isRangeFresh(request: Request, response: Response): boolean {
  const condition = request.get('if-range');
  if (condition === undefined) {
    return true;
  }
  if (condition.includes('"')) {
    return condition.trim() === response.get('ETag');
  }
  return lastModifiedOf(response) <= Date.parse(condition);
}

function lastModifiedOf(response: Response): number {
  return Date.parse(response.get('Last-Modified') ?? '');
}

function weak(etag: string): string {
  return etag.replace(/^W\//, '');
}
