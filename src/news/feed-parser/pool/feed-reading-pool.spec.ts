import { afterEach, describe, expect, it } from '@jest/globals';
import { itLong } from '../../../../test/support/long.js';
import { type FeedDocument, UnreadableDocument } from '../parsed-feed.js';
import { FeedReadingPool, ReadingUnavailable, type ReadingPoolOptions } from './reading-pool.js';

const pools: FeedReadingPool[] = [];

function aPool(options: ReadingPoolOptions): FeedReadingPool {
  const pool = new FeedReadingPool(options);
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

const aDocument = (text: string): FeedDocument => ({
  bytes: Buffer.from(text),
  contentType: 'application/rss+xml',
  url: 'https://example.org/feed.xml',
});

const aFeed = (title: string): FeedDocument =>
  aDocument(`<rss><channel><title>${title}</title><item><guid>1</guid></item></channel></rss>`);

describe('the pool for feeds', () => {
  it('gives the same result as readFeed, and does not detach the bytes of the caller', async () => {
    const document = aFeed('Grüße');

    const feed = await aPool({ size: 1 }).read(document);

    expect(feed).toMatchObject({ title: 'Grüße', items: [{ guid: '1' }], warning: null });
    expect(Buffer.from(document.bytes).toString()).toContain('<title>Grüße</title>');
  });

  itLong(
    'reads many documents with few workers and returns each result to its caller',
    async () => {
      const pool = aPool({ size: 2 });
      const titles = Array.from({ length: 25 }, (_, i) => `feed ${i}`);

      const feeds = await Promise.all(titles.map((title) => pool.read(aFeed(title))));

      expect(feeds.map(({ title }) => title)).toEqual(titles);
    },
  );

  it('rejects a bad document with UnreadableDocument', async () => {
    const pool = aPool({ size: 1 });
    const reading = pool.read(aDocument('<html></html>'));

    await expect(reading).rejects.toThrow(UnreadableDocument);
    await expect(reading).rejects.toThrow('The document is not a feed: it is a web page.');
    await expect(pool.read(aFeed('next'))).resolves.toMatchObject({ title: 'next' });
  });

  it('kills the worker of a slow document and continues with a new one', async () => {
    // Shorter than the start of a worker.
    const pool = aPool({ size: 1, wallLimitSeconds: 0.001 });
    const readings = [pool.read(aFeed('one')), pool.read(aFeed('two'))];

    for (const result of await Promise.allSettled(readings)) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: expect.objectContaining({
          message: 'The document took longer than 0.001 s to read.',
        }),
      });
    }
    await expect(readings[0]).rejects.toThrow(UnreadableDocument);
  });

  it('survives a document that exceeds the memory limit', async () => {
    const pool = aPool({ size: 1, maxOldGenerationMb: 24, wallLimitSeconds: 60 });
    const greedy = `<rss><channel>${'<item><description>a &amp; b'.repeat(400_000)}`;
    const reading = pool.read(aDocument(greedy));

    await expect(reading).rejects.toThrow(UnreadableDocument);
    await expect(reading).rejects.toThrow('more than 24 MB of memory');
    await expect(pool.read(aFeed('next'))).resolves.toMatchObject({ title: 'next' });
  });

  it('rejects documents when the queue is full', async () => {
    const pool = aPool({ size: 1, maxWaiting: 1 });
    const first = pool.read(aFeed('first'));
    const second = pool.read(aFeed('second'));

    await expect(pool.read(aFeed('third'))).rejects.toThrow(ReadingUnavailable);
    await expect(Promise.all([first, second])).resolves.toHaveLength(2);
  });

  it('rejects pending and new documents after close', async () => {
    const pool = aPool({ size: 1 });
    const readings = [pool.read(aFeed('one')), pool.read(aFeed('two'))];
    const results = Promise.allSettled(readings);

    await pool.close();

    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(pool.read(aFeed('three'))).rejects.toThrow(ReadingUnavailable);
  });
});
