import type { Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { flushCompressed } from '../../common/http/compress-answers.js';

/** A reader that takes nothing for this long is taken to be gone. */
const STALLED_AFTER_MS = 60_000;

/**
 * Answers `{"<key>":[…]}` while the rows are still being read: the first byte leaves at once, the
 * memory stays that of one batch, and a slow client slows the reading down instead of filling it.
 *
 * The status is sent with the first byte, so the first batch is awaited before; a failure after
 * that can only be shown by breaking the connection off.
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
    // A client that went away in the middle is not a fault.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') {
      throw error;
    }
  } finally {
    // Not among the chunks: those are never begun for a client that went away before the first one.
    await rows.return?.();
  }
}
