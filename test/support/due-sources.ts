import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { SubscriptionsRepository } from '../../src/news/reader/feeds/subscriptions.repository.js';
import { feedAddress } from '../../src/news/sources/feed-address.js';
import { SourcesRepository } from '../../src/news/sources/sources.repository.js';
import { readerOf } from './reader-of.js';
import type { TestApp } from './start-app.js';

/**
 * Feeds of a user that were never fetched and are due now, as after an import.
 *
 * @returns source ids
 */
export async function addDueSources(
  app: TestApp,
  userId: string,
  urls: readonly string[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const url of urls) {
    ids.push(await app.inside(SourcesRepository).create(feedAddress(url)));
  }
  await app.inside(ReadersRepository).change(await readerOf(app, userId), async (tx, reader) => {
    for (const [index, sourceId] of ids.entries()) {
      const subscription = { sourceId, folderId: null, url: urls[index] ?? '' };
      await app.inside(SubscriptionsRepository).create(reader.id, subscription, tx);
    }
  });
  return ids;
}
