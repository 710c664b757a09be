import type { Response } from 'express';
import { flushCompressed } from '../../common/http/compress-answers.js';

/** A client that reads nothing for this long is disconnected. */
const STALLED_AFTER_MS = 60_000;

interface ListText<Row> {
  /** Up to and including `[`. */
  readonly head: string;
  readonly toText: (row: Row) => string;
  /** The end of the answer from `]` on; called after the last row. */
  readonly tail: () => string;
  /** `latin1` for UTF-8 bytes, one character per byte, as `Database.copy` reads them. */
  readonly encoding: 'latin1' | 'utf8';
  /** Default JSON. */
  readonly contentType?: string;
  /** Separator of rows; default a comma. */
  readonly separator?: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Streams `{"<key>":[…]}`, see `streamList`.
 *
 * @param toJson gives UTF-8 bytes, one character per byte, as `Database.copy` reads them
 */
export async function sendJsonList<Row>(
  response: Response,
  key: string,
  batches: AsyncIterable<readonly Row[]>,
  toJson: (row: Row) => string,
): Promise<void> {
  const list = {
    head: `{"${key}":[`,
    toText: toJson,
    tail: () => ']}',
    encoding: 'latin1',
  } as const;
  await streamList(response, batches, list);
}

/**
 * Streams a list while its rows are being read: the first byte is sent early, memory is bounded by one
 * batch, and a slow client slows down the reading.
 *
 * The status is sent with the first byte, so the first batch is awaited before. A later failure
 * closes the connection.
 */
export async function streamList<Row>(
  response: Response,
  batches: AsyncIterable<readonly Row[]>,
  { head, toText, tail, encoding, contentType = JSON_TYPE, separator = ',' }: ListText<Row>,
): Promise<void> {
  const rows = batches[Symbol.asyncIterator]();
  try {
    const first = await rows.next();
    response.status(200).type(contentType);
    response.setTimeout(STALLED_AFTER_MS, () => response.destroy());
    const canTakeMore = watch(response);
    let text = head;
    let before = '';
    for (let batch = first; batch.done !== true; batch = await rows.next()) {
      for (const row of batch.value) {
        text += before + toText(row);
        before = separator;
      }
      if (response.destroyed) {
        return;
      }
      const isFull = !response.write(text, encoding);
      text = '';
      if (batch === first) {
        flushCompressed(response);
      }
      if (isFull) {
        await canTakeMore();
      }
    }
    response.end(text + tail(), encoding);
  } catch (error) {
    if (response.headersSent) {
      response.destroy();
    }
    throw error;
  } finally {
    // Needed even if the client disconnected before the first row.
    await rows.return?.();
  }
}

/**
 * @returns a function that waits until the response can take more, or is closed: a disconnected client
 *   is not an error
 */
function watch(response: Response): () => Promise<void> {
  let proceed = () => {};
  // Added once: `compression` forwards added listeners, not their removal.
  for (const event of ['drain', 'close', 'error']) {
    response.on(event, () => proceed());
  }
  return async () => {
    if (!response.destroyed) {
      await new Promise<void>((resolve) => (proceed = resolve));
    }
  };
}
