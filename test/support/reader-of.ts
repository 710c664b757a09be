import type { Reader } from '../../src/news/reader/delivery/reader-ids.repository.js';
import { readerOf as readerIn } from '../../src/news/reader/delivery/reader-of.js';
import type { TestApp } from './start-app.js';

/** What a request of the user would get. */
export const readerOf = (app: Pick<TestApp, 'inside'>, userId: string): Promise<Reader> =>
  readerIn(app.inside, userId);
