import { HttpException } from '@nestjs/common';
import type { Response } from 'express';
import path from 'node:path';
import { ConditionFailed } from '../files.errors.js';
import { httpDate } from '../properties/properties.js';
import { isHarmless } from '../tree/file-kinds.js';
import type { StoredNode } from '../tree/nodes.sql.js';

/** Closes the connection of a receiver that reads nothing for this long. */
const STALLED_AFTER_MS = 600_000;

/** Uploaded content must neither run scripts nor load anything when a browser displays it. */
const SANDBOX = "sandbox; default-src 'none'; frame-ancestors 'none'";

/** Sends the content of a file: all of it, a range, or 304. @throws ConditionFailed */
export async function sendContent(
  response: Response,
  node: StoredNode,
  contentPath: string,
): Promise<void> {
  if (!isHarmless(node.mime)) {
    response.attachment(node.name);
  }
  response.set({
    'Content-Type': node.mime.startsWith('text/') ? `${node.mime}; charset=utf-8` : node.mime,
    'Content-Security-Policy': SANDBOX,
    'Cache-Control': 'private, no-cache',
    ETag: `"${node.etag}"`,
    'OC-ETag': `"${node.etag}"`,
    'Last-Modified': httpDate(node.mtimeSeconds),
    ...(node.checksum !== '' && { 'OC-Checksum': node.checksum }),
  });
  response.setTimeout(STALLED_AFTER_MS, () => response.destroy());
  await new Promise<void>((resolve, reject) => {
    response.sendFile(
      path.basename(contentPath),
      { root: path.dirname(contentPath), cacheControl: false, lastModified: false },
      (error?: Error & { status?: number; code?: string }) => {
        if (error === undefined || wentAway(error, response)) {
          resolve();
        } else {
          reject(explained(error, node, response));
        }
      },
    );
  });
}

/** A client that disconnects is not an error. */
function wentAway(error: { code?: string }, response: Response): boolean {
  return error.code === 'ECONNABORTED' || response.destroyed;
}

function explained(
  error: Error & { status?: number },
  node: StoredNode,
  response: Response,
): Error {
  if (error.status === 412) {
    return new ConditionFailed('The file does not match the conditional headers of the request.');
  }
  if (error.status === 416) {
    response.setHeader('Content-Range', `bytes */${node.sizeBytes}`);
    return new HttpException(
      `The range is outside the file, which has ${node.sizeBytes} bytes.`,
      416,
    );
  }
  return new Error(`The content of file ${node.id} cannot be read`, { cause: error });
}
