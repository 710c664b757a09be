import fc from 'fast-check';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { UnreadableDocument } from '../../../src/news/feed-parser/parsed-feed.js';
import { readFeed } from '../../../src/news/feed-parser/read-feed.js';
import { dangersOf } from '../dangers.js';
import { damaged, hostileMarkup } from '../hostile-documents.js';
import type { Target } from '../target.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Bytes of a document in an encoding that its declaration may contradict. */
const ENCODINGS = ['utf8', 'utf16le', 'latin1'] as const;

/** Any bytes are a feed that is safe to show, or are refused. */
export const feedsTarget: Target = {
  name: 'feeds',
  smokeRuns: 400,
  open: () => {
    const samples = globSync('tools/demo/content/**/*.{xml,json,rss,atom}', { cwd: ROOT }).map(
      (file) => readFileSync(ROOT + file, 'utf8'),
    );
    const text = samples.length === 0 ? hostileMarkup : fc.oneof(hostileMarkup, damaged(samples));
    const property = fc.asyncProperty(
      text,
      fc.constantFrom(...ENCODINGS),
      fc.constantFrom(null, 'text/xml; charset=utf-8', 'application/json; charset=koi8-r'),
      async (document, encoding, contentType) => {
        const url = 'https://publisher.example/feed';
        const bytes = Buffer.from(document, encoding);
        try {
          const feed = await readFeed({ bytes, url, contentType });
          for (const item of feed.items) {
            const dangers = dangersOf(item.body ?? '');
            if (dangers.length > 0) {
              throw new Error(`${dangers.join(', ')} in ${item.body}`);
            }
          }
        } catch (error) {
          if (!(error instanceof UnreadableDocument)) {
            throw error;
          }
        }
      },
    );
    return Promise.resolve({ property, close: async () => {} });
  },
};
