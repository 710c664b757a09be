import { parentPort } from 'node:worker_threads';
import { type FeedDocument, UnreadableDocument } from '../parsed-feed.js';

/** Answer of a worker to one document. Errors lose their class in transit, hence `kind`. */
export type ReadingResult<Content> =
  | { readonly kind: 'read'; readonly content: Content }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/** Makes this thread or process a reader of a pool: it reads and answers every document it receives. */
export function answerDocuments<Content>(
  read: (document: FeedDocument) => Content | Promise<Content>,
): void {
  if (parentPort === null) {
    process.on('message', (document: FeedDocument) => {
      void answer(document, read).then((result) => process.send?.(result));
    });
    return;
  }
  parentPort.on('message', (document: FeedDocument) => {
    void answer(document, read).then((result) => parentPort?.postMessage(result, []));
  });
}

async function answer<Content>(
  document: FeedDocument,
  read: (document: FeedDocument) => Content | Promise<Content>,
): Promise<ReadingResult<Content>> {
  try {
    return { kind: 'read', content: await read(document) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: error instanceof UnreadableDocument ? 'unreadable' : 'failed', message };
  }
}
