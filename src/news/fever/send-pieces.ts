import type { Response } from 'express';
import { streamText } from '../http/stream-text.js';

const PIECE_CHARACTERS = 65_536;

/**
 * Streams a JSON text, which is not empty, while it is being made: memory is bounded, and a slow client
 * slows it down.
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
  await streamText(response, startingWith(first.value, larger));
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
