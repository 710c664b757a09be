/**
 * The PostgreSQL channel of changes of sources and of readers. A notice arrives once its transaction is
 * committed.
 */
export const NEWS_CHANNEL = 'gatefold_news';

/** A source has articles that were not delivered to its followers yet. */
export interface SourceNotice {
  readonly sourceId: number;
}
