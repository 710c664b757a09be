import { HttpException } from '@nestjs/common';
import type { Response } from 'express';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DomainError } from '../../../common/errors/domain-error.js';
import { ConditionFailed } from '../files.errors.js';
import { httpDate } from '../properties/properties.js';
import type { BytePart } from '../stores/content-store.js';
import { isHarmless } from '../tree/file-kinds.js';
import type { StoredNode } from '../tree/nodes.sql.js';
import { partOf, preconditionHolds } from './conditional-requests.js';

/** What is sent: the content of a file, or a preview of it. */
export interface SentContent {
  readonly sizeBytes: number;
  /** @param part default: everything */
  readonly open: (part?: BytePart) => Promise<Readable>;
}

/** Closes the connection of a receiver that reads nothing for this long. */
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
  response.setTimeout(STALLED_AFTER_MS, () => response.destroy());
  try {
    await pipeline(opened, response);
  } catch (error) {
    // A client that disconnects is not an error.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') {
      throw unreadable(node, error);
    }
  }
}

/** Before the headers are sent, so that a store that is away has its own status. */
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
