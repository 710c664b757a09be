import type { Response } from 'express';
import { streamText } from '../http/stream-text.js';

/** Sends a file of feeds while it is being written. */
export async function sendOpml(response: Response, pieces: AsyncIterable<string>): Promise<void> {
  response.status(200).set({
    'Content-Type': 'text/x-opml; charset=utf-8',
    'Content-Disposition': 'attachment; filename="subscriptions.opml"',
  });
  await streamText(response, pieces);
}
