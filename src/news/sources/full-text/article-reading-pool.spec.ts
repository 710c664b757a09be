import { afterEach, describe, expect, it } from '@jest/globals';
import { itLong } from '../../../../test/support/long.js';
import { type FeedDocument, UnreadableDocument } from '../../feed-parser/parsed-feed.js';
import {
  ReadingUnavailable,
  type ReadingPoolOptions,
} from '../../feed-parser/pool/reading-pool.js';
import { ArticleReadingPool } from './fetch-article.service.js';

const pools: ArticleReadingPool[] = [];

function aPool(options: ReadingPoolOptions = {}): ArticleReadingPool {
  const pool = new ArticleReadingPool(options);
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

const aPage = (html: string): FeedDocument => ({
  bytes: Buffer.from(html),
  contentType: 'text/html',
  url: 'https://publisher.example/posts/1',
});

const anArticle = (word: string) =>
  aPage(`<html><body><article>${`<p>${`${word} goes on, and on. `.repeat(30)}</p>`.repeat(3)}
         </article></body></html>`);

describe('the pool for web pages', () => {
  it('reads pages, and returns each result to its caller, also of what is no article', async () => {
    const pool = aPool();

    const [first, second] = await Promise.all([
      pool.read(anArticle('Grüße')),
      pool.read(anArticle('日本')),
    ]);

    expect(first.article?.html).toContain('Grüße goes on');
    expect(second.article?.html).toContain('日本 goes on');
    await expect(pool.read(aPage('<p>Hello</p>'))).resolves.toMatchObject({ article: null });
  });

  itLong('survives a page that exhausts memory', async () => {
    const pool = aPool({ maxOldGenerationMb: 64, wallLimitSeconds: 60 });
    const greedy = Array.from({ length: 200_000 }, (_, n) => `a${n}=b`).join(' ');

    const reading = pool.read(aPage(`<body><p ${greedy}>x</p>`));

    await expect(reading).rejects.toThrow(UnreadableDocument);
    await expect(reading).rejects.toThrow('more than 64 MB of memory');
    await expect(pool.read(anArticle('next'))).resolves.toMatchObject({
      article: { html: expect.stringContaining('next goes on') },
    });
  });

  it('kills the process of a slow page', async () => {
    const reading = aPool({ wallLimitSeconds: 0.001 }).read(anArticle('slow'));

    await expect(reading).rejects.toThrow('longer than 0.001 s');
  });

  itLong('starts a new process after the idle time', async () => {
    const pool = aPool({ idleSeconds: 0 });

    await pool.read(anArticle('one'));

    await expect(pool.read(anArticle('two'))).resolves.toMatchObject({
      article: { html: expect.stringContaining('two goes on') },
    });
  });

  it('rejects pending and new documents after close', async () => {
    const pool = aPool();
    const results = Promise.allSettled([pool.read(anArticle('one')), pool.read(anArticle('two'))]);

    await pool.close();

    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(pool.read(anArticle('three'))).rejects.toThrow(ReadingUnavailable);
  });
});
