import type { ExtractedArticle } from './extract-article.js';
import { openProcess } from '../../feed-parser/pool/reader-handle.js';
import { ReadingPool, type ReadingPoolOptions } from '../../feed-parser/pool/reading-pool.js';

/** The compiled worker for compiled code, otherwise its TypeScript source. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts')
    ? './extract-article.worker.from-source.mjs'
    : './extract-article.worker.js',
  import.meta.url,
);

/**
 * Extracts articles in a child process: with a hostile page the DOM grows faster than a thread can be
 * stopped. One page at a time, in a separate pool so that feeds do not wait for pages.
 */
export class ArticleReadingPool extends ReadingPool<ExtractedArticle> {
  constructor(options: ReadingPoolOptions = {}) {
    super(WORKER, { size: 1, maxOldGenerationMb: 256, idleSeconds: 60, ...options }, openProcess);
  }
}
