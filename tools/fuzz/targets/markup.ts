import fc from 'fast-check';
import { cleanHtml, LARGEST_BODY_BYTES } from '../../../src/news/feed-parser/html/clean-html.js';
import { PAYLOADS, SURROUNDINGS, WRITINGS } from '../../../test/support/hostile-markup.js';
import { dangersOf, escapedFrom } from '../dangers.js';
import { hostileMarkup } from '../hostile-documents.js';
import type { Target } from '../target.js';

const BASE = 'https://publisher.example/post/';

const written = fc
  .tuple(fc.constantFrom(...PAYLOADS), fc.constantFrom(...WRITINGS))
  .map(([payload, write]) => write(payload));

const surrounded = fc
  .tuple(fc.array(fc.constantFrom(...SURROUNDINGS), { maxLength: 4 }), fc.array(written))
  .map(([around, payloads]) =>
    around.reduce((inner, outer) => outer.replace('*', () => inner), payloads.join('')),
  );

const markup = fc
  .array(fc.oneof(written, surrounded, hostileMarkup), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join(''));

/** Any markup is harmless, bounded, and ends where it is put. */
export const markupTarget: Target = {
  name: 'markup',
  smokeRuns: 400,
  open: () => {
    const property = fc.asyncProperty(markup, async (html) => {
      const clean = cleanHtml(html, BASE);
      const dangers = dangersOf(clean);
      if (dangers.length > 0) {
        throw new Error(`${dangers.join(', ')} in ${clean}`);
      }
      if (Buffer.byteLength(clean) > LARGEST_BODY_BYTES) {
        throw new Error('The body is too large.');
      }
      const escaped = escapedFrom(clean);
      if (escaped !== null) {
        throw new Error(`What follows the body is read as ${escaped} after ${clean}`);
      }
    });
    return Promise.resolve({ property, close: async () => {} });
  },
};
