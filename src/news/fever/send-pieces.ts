import type { Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../../common/http/outgoing-errors.js';

/** A client that reads nothing for this long is disconnected. */
const STALLED_AFTER_MS = 60_000;
const PIECE_CHARACTERS = 65_536;

/**
 * Streams a JSON text, which is not empty, while it is being made: memory is bounded, and a slow client slows it down.
 *
 * The status is sent with the first 64 KiB, so most failures before are responses with a status; a
 * later one closes the connection.
 */
export async function sendPieces(response: Response, pieces: AsyncIterable<string>): Promise<void> {
  const larger = largerPieces(pieces);
  const first = await larger.next();
  if (first.done === true || response.destroyed) {
    await larger.return();
    return;
  }
  response.status(200).type('application/json; charset=utf-8');
  response.setTimeout(STALLED_AFTER_MS, () => response.destroy());
  try {
    await pipeline(Readable.from(startingWith(first.value, larger)), response);
  } catch (error) {
    // The client disconnected.
    if (errorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') {
      throw error;
    }
  }
}

async function* startingWith(
  first: string,
  rest: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  yield first;
  yield* rest;
}

async function* largerPieces(
  pieces: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length >= PIECE_CHARACTERS) {
      yield text;
      text = '';
    }
  }
  if (text !== '') {
    yield text;
  }
}
