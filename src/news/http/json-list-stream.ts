import type { Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { flushCompressed } from '../../common/http/compress-answers.js';

/** A client that reads nothing for this long is disconnected. */
const STALLED_AFTER_MS = 60_000;

/**
 * Streams `{"<key>":[…]}` while rows are being read: the first byte is sent early, memory is bounded
 * by one batch, and a slow client slows down the reading.
 *
 * The status is sent with the first byte, so the first batch is awaited before. A later failure
 * closes the connection.
 */
export async function sendJsonList<Row>(
  response: Response,
  key: string,
  batches: AsyncIterable<readonly Row[]>,
  toJson: (row: Row) => object,
): Promise<void> {
  const rows = batches[Symbol.asyncIterator]();
  const first = await rows.next();

  async function* chunks() {
    let text = `{${JSON.stringify(key)}:[`;
    let separator = '';
    for (let batch = first; batch.done !== true; batch = await rows.next()) {
      for (const row of batch.value) {
        text += separator + JSON.stringify(toJson(row));
        separator = ',';
      }
      yield text;
      if (batch === first) {
        flushCompressed(response);
      }
      text = '';
    }
    yield `${text}]}`;
  }

  response.status(200).type('application/json; charset=utf-8');
  response.setTimeout(STALLED_AFTER_MS, () => response.destroy());
  try {
    await pipeline(Readable.from(chunks()), response);
  } catch (error) {
    // A disconnected client is not an error.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') {
      throw error;
    }
  } finally {
    // Not in `chunks`, which never starts if the client disconnects before the first chunk.
    await rows.return?.();
  }
}
