import type { ParsedFeed } from '../parsed-feed.js';
import { ReadingPool, type ReadingPoolOptions } from './reading-pool.js';

/** The compiled worker for compiled code, otherwise its TypeScript source. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './read-feed.worker.from-source.mjs' : './read-feed.worker.js',
  import.meta.url,
);

/** A thread holds some 60 MiB, and starts in a quarter of a second. */
const IDLE_SECONDS = 30;

/** Reads feeds of any format. */
export class FeedReadingPool extends ReadingPool<ParsedFeed> {
  constructor(options: ReadingPoolOptions = {}) {
    super(WORKER, { idleSeconds: IDLE_SECONDS, ...options });
  }
}
