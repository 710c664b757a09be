import { parentPort } from 'node:worker_threads';
import type { FeedDocument, ParsedFeed } from '../parsed-feed.js';
import { readFeed } from './read-feed.js';
import { UnreadableDocument } from './unreadable-document.js';

/** What a worker answers to one document. Errors lose their class on the way, so they are told apart. */
export type ReadingResult =
  | { readonly kind: 'feed'; readonly feed: ParsedFeed }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

async function answer(document: FeedDocument): Promise<ReadingResult> {
  try {
    return { kind: 'feed', feed: await readFeed(document) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: error instanceof UnreadableDocument ? 'unreadable' : 'failed', message };
  }
}

parentPort?.on('message', (document: FeedDocument) => {
  void answer(document).then((result) => parentPort?.postMessage(result, []));
});
