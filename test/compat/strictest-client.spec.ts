import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { rss } from '../support/feed-server.js';
import { LEVELS, NewsClient } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';

/**
 * One value of another type and NewsFlash discards the response; one additional key in an envelope
 * and Readrops stops. What these two accept, every other known client accepts.
 */
const int64 = z.int();
const flag = z.boolean();

const Folders = z.strictObject({
  folders: z.array(z.object({ id: int64, name: z.string().min(1) })),
});

const Feeds = z.object({
  feeds: z.array(
    z.object({
      id: int64,
      url: z.string().min(1),
      title: z.string(),
      faviconLink: z.string().nullable(),
      added: int64,
      folderId: int64.nullable(),
      unreadCount: int64,
      ordering: z.literal([0, 1, 2]),
      link: z.string(),
      pinned: flag,
      updateErrorCount: int64,
      lastUpdateError: z.string().nullable(),
    }),
  ),
  starredCount: int64,
  newestItemId: int64,
});

const Items = z.strictObject({
  items: z.array(
    z.object({
      id: z.int32(),
      guid: z.string(),
      guidHash: z.string(),
      url: z.string().nullable(),
      title: z.string().nullable(),
      author: z.string().nullable(),
      pubDate: int64,
      body: z.string(),
      enclosureMime: z.string().nullable(),
      enclosureLink: z.string().nullable(),
      mediaThumbnail: z.string().nullable(),
      mediaDescription: z.string().nullable(),
      feedId: int64,
      unread: flag,
      starred: flag,
      rtl: flag,
      lastModified: int64,
      fingerprint: z.string(),
    }),
  ),
});

const Status = z.object({
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  warnings: z.record(z.string(), flag),
});

const { app, publisher } = await sharedService();

describe.each(LEVELS)('%s answers fit the strictest client', (level) => {
  let news: NewsClient;
  beforeAll(async () => {
    const user = await app.signIn();
    news = new NewsClient(user, level);
    publisher.publish(
      '/bare.xml',
      // Entries with as few fields as possible.
      rss({
        title: '',
        link: publisher.url('/'),
        items: [{ title: 'only a title' }, { title: '', body: 'only a body' }],
      }),
    );
    const folder = await news.createFolder('Folder');
    await news.subscribe(publisher.url('/bare.xml'), folder.id);
    const [item] = await news.items();
    await new NewsClient(user, 'v1-3').label([item?.id ?? 0], { add: ['a', 'b'] });
  });

  it.each([
    ['/folders', Folders],
    ['/feeds', Feeds],
    ['/items', Items],
    ['/items/updated', Items],
    ['/status', Status],
  ] as [string, z.ZodType][])('[N56] [N110] %s', async (path, contract) => {
    const { json } = await news.get(path);

    expect(contract.safeParse(json).error?.issues).toBeUndefined();
  });

  it('every feed has a folder in the list of folders, or none', async () => {
    const folderIds = new Set((await news.folders()).map(({ id }) => id));

    for (const { folderId } of (await news.feedList()).feeds) {
      expect(folderIds).toContain(folderId);
    }
  });
});
