import type { ExtractedArticle } from './extract-article.js';
import { openProcess } from '../feed-parser/pool/reading-place.js';
import { ReadingPool, type ReadingPoolOptions } from '../feed-parser/pool/reading-pool.js';

/** Compiled code finds the compiled worker beside it; code run from its source, the source. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts')
    ? './extract-article.worker.from-source.mjs'
    : './extract-article.worker.js',
  import.meta.url,
);

/**
 * Takes articles out of web pages, in a process of its own: the browser-like document that this
 * needs grows faster with a hostile page than a thread could be stopped. One page at a time, apart
 * from the feeds, which are not to wait for pages.
 */
export class ArticleReadingPool extends ReadingPool<ExtractedArticle> {
  constructor(options: ReadingPoolOptions = {}) {
    super(WORKER, { size: 1, maxOldGenerationMb: 256, idleSeconds: 60, ...options }, openProcess);
  }
}
