import { beforeEach, describe, expect, it } from '@jest/globals';
import { NewsClient } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';
import type { TestUser } from '../support/start-app.js';

const { app, publisher } = await sharedService();

interface ExtrasJson {
  readonly media: readonly Record<string, unknown>[];
  readonly comments: string | null;
  readonly chapters: string | null;
  readonly durationSeconds: number | null;
  readonly tags: readonly string[];
  readonly areTagsCut: boolean;
}

const NAMESPACES =
  'xmlns:media="http://search.yahoo.com/mrss/" xmlns:podcast="https://podcastindex.org/namespace/1.0" ' +
  'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"';
const NONE = {
  media: [],
  comments: null,
  chapters: null,
  durationSeconds: null,
  tags: [],
  areTagsCut: false,
};

const mp3 = '<enclosure url="https://cdn.example/1.mp3" type="audio/mpeg" length="1000"/>';
const pdf = '<enclosure url="https://cdn.example/notes.pdf" type="application/pdf" length="77"/>';

describe('extras of an item', () => {
  let user: TestUser;
  let news: NewsClient;
  let feeds = 0;
  beforeEach(async () => {
    user = await app.signIn();
    news = new NewsClient(user, 'v1-3');
    feeds += 1;
  });

  const extras = async (id: number, of = user) => {
    const { status, json } = await new NewsClient(of, 'v1-3').get(`/items/${id}/extras`);
    return { status, extras: (json as { extras?: ExtrasJson }).extras };
  };

  const publish = (inside: string) =>
    publisher.publish(
      `/extras-${feeds}.xml`,
      `<?xml version="1.0"?><rss version="2.0" ${NAMESPACES}><channel><title>Extras</title>
       <item><title>x</title><guid>g</guid><description>d</description>${inside}</item></channel></rss>`,
    );

  async function extrasOf(inside: string): Promise<ExtrasJson | undefined> {
    publish(inside);
    await news.subscribe(publisher.url(`/extras-${feeds}.xml`));
    const { id } = await news.item('x');
    return (await extras(id)).extras;
  }

  it('are empty if the item has what every client is told of', async () => {
    expect(await extrasOf(mp3)).toEqual(NONE);
  });

  it('are all files of an entry, the known one first', async () => {
    const { media } = (await extrasOf(mp3 + pdf)) ?? NONE;

    expect(media).toEqual([
      {
        url: 'https://cdn.example/1.mp3',
        mime: 'audio/mpeg',
        kind: 'audio',
        title: null,
        length: 1000,
        thumbnail: null,
      },
      {
        url: 'https://cdn.example/notes.pdf',
        mime: 'application/pdf',
        kind: 'other',
        title: null,
        length: 77,
        thumbnail: null,
      },
    ]);
  });

  it('are a file that clients are not told of', async () => {
    expect((await extrasOf(pdf))?.media).toHaveLength(1);
  });

  it('are one variant of each group, with title and thumbnail', async () => {
    const { media } =
      (await extrasOf(`${pdf}<media:group><media:title>A film</media:title>
        <media:content url="https://cdn.example/small.mp4" type="video/mp4"/>
        <media:content url="https://cdn.example/large.mp4" type="video/mp4" isDefault="true">
          <media:title>The film</media:title><media:thumbnail url="https://cdn.example/f.jpg"/></media:content>
        </media:group><media:content url="https://video.example/v/a" type="application/x-shockwave-flash"/>`)) ??
      NONE;

    expect(media.map(({ url }) => url)).toEqual([
      'https://cdn.example/notes.pdf',
      'https://cdn.example/large.mp4',
    ]);
    expect(media[1]).toMatchObject({
      kind: 'video',
      title: 'The film',
      thumbnail: 'https://cdn.example/f.jpg',
    });
  });

  it('are the player of a video, which is no enclosure', async () => {
    const { media } =
      (await extrasOf(`<media:group><media:title>A film</media:title>
        <media:content url="https://www.youtube.com/v/dQw4w9WgXcQ?version=3" type="application/x-shockwave-flash"/>
        </media:group><media:player url="https://player.vimeo.com/video/1"/>
        <media:player url="https://evil.example/embed/1"/>`)) ?? NONE;

    expect(media).toMatchObject([
      {
        url: 'https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ',
        mime: 'text/html',
        kind: 'other',
      },
      { url: 'https://player.vimeo.com/video/1', mime: 'text/html', kind: 'other' },
    ]);
    expect(await news.item('x')).toMatchObject({ enclosureLink: null, enclosureMime: null });
  });

  it('are all recordings, of which the first is played, also if it says no more than Ogg', async () => {
    const { media } =
      (await extrasOf(`<enclosure url="https://cdn.example/get" type="application/ogg"/>${mp3}`)) ??
      NONE;

    expect(media).toHaveLength(2);
    expect(await news.item('x')).toMatchObject({ enclosureMime: 'audio/ogg' });
  });

  it('are other versions of an episode', async () => {
    const { media } =
      (await extrasOf(`${mp3}<podcast:alternateEnclosure type="video/mp4" length="9" title="With pictures">
        <podcast:source uri="ipfs://x"/><podcast:source uri="https://cdn.example/1.mp4"/>
        </podcast:alternateEnclosure><podcast:alternateEnclosure type="application/x-mpegURL">
        <podcast:source uri="https://cdn.example/1.m3u8"/></podcast:alternateEnclosure>`)) ?? NONE;

    expect(media.slice(1)).toMatchObject([
      { url: 'https://cdn.example/1.mp4', kind: 'video', title: 'With pictures', length: 9 },
      { url: 'https://cdn.example/1.m3u8', kind: 'other', mime: 'application/x-mpegurl' },
    ]);
    expect(await news.item('x')).toMatchObject({ enclosureLink: 'https://cdn.example/1.mp3' });
  });

  it('are links to comments and chapters, and tags', async () => {
    expect(
      await extrasOf(`${mp3}<comments>https://a.example/1#comments</comments>
        <podcast:chapters url="https://a.example/1.json" type="application/json+chapters"/>
        <category>Tide</category><category domain="x">&lt;b&gt;Sea</category><category>tide</category>`),
    ).toEqual({
      ...NONE,
      comments: 'https://a.example/1#comments',
      chapters: 'https://a.example/1.json',
      durationSeconds: null,
      tags: ['Tide', '‹b›Sea'],
    });
  });

  it.each([
    ['3750', 3750],
    ['62:30', 3750],
    ['01:02:30.5', 3750],
    ['an hour', null],
    ['0', null],
    ['99999999', null],
  ])('are the duration %p of the recording, in seconds', async (written, durationSeconds) => {
    const found = await extrasOf(`${mp3}<itunes:duration>${written}</itunes:duration>`);
    expect(found).toEqual({ ...NONE, durationSeconds });
  });

  it('are at most 20 files and 30 tags, without addresses of this service or other schemes', async () => {
    const many = Array.from(
      { length: 60 },
      (_, n) =>
        `<enclosure url="https://cdn.example/${n}.pdf" type="application/pdf"/><category>t${n}</category>`,
    );
    const { media, tags, areTagsCut, comments } =
      (await extrasOf(
        `<enclosure url="${user.baseUrl}/x.pdf" type="application/pdf"/><enclosure url="javascript:alert(1)" type="application/pdf"/>` +
          `<comments>javascript:alert(1)</comments>${many.join('')}`,
      )) ?? NONE;

    expect(media).toHaveLength(20);
    expect(media.map(({ url }) => String(url)).every((url) => url.includes('cdn.example'))).toBe(
      true,
    );
    expect(tags).toHaveLength(30);
    expect(areTagsCut).toBe(true);
    expect(comments).toBeNull();
  });

  it.each([
    [60, false],
    [61, true],
  ])('say of a tag of %i characters that it is cut: %s', async (length, isCut) => {
    const { tags, areTagsCut } =
      (await extrasOf(`<category>${'x'.repeat(length)}</category>`)) ?? NONE;

    expect([tags, areTagsCut]).toEqual([['x'.repeat(60)], isCut]);
  });

  it('of JSON Feed are attachments and tags', async () => {
    publisher.publish(
      `/extras-${feeds}.json`,
      JSON.stringify({
        version: 'https://jsonfeed.org/version/1.1',
        title: 'JSON',
        items: [
          {
            id: '1',
            title: 'x',
            content_text: 'a\nhttps://a.example/',
            tags: ['Sea'],
            attachments: [
              {
                url: 'https://cdn.example/1.pdf',
                mime_type: 'application/pdf',
                title: 'Notes',
                duration_in_seconds: 90,
              },
            ],
          },
        ],
      }),
      { contentType: 'application/feed+json' },
    );
    await news.subscribe(publisher.url(`/extras-${feeds}.json`));
    const { id, body } = await news.item('x');

    expect((await extras(id)).extras).toMatchObject({
      media: [{ title: 'Notes', kind: 'other' }],
      durationSeconds: 90,
      tags: ['Sea'],
    });
    expect(body).toContain('a<br />\n<a href="https://a.example/"');
  });

  it('do not change hashes, and are replaced with the article', async () => {
    await extrasOf(mp3);
    const before = await news.item('x');
    const administrator = new NewsClient(app.asAdmin(), 'v1-3');
    const update = () => administrator.update(user.credentials.userId, before.feedId);

    publish(`${mp3}<category>new</category>${pdf}`);
    await update();
    expect(await news.item('x')).toEqual(before);
    expect((await extras(before.id)).extras).toEqual(NONE);

    publish(`${mp3}<category>new</category><author>Ada</author>`);
    await update();
    expect((await extras(before.id)).extras?.tags).toEqual(['new']);
  });

  it('are not shown to others', async () => {
    await extrasOf(pdf);
    const { id } = await news.item('x');
    const stranger = await app.signIn();

    expect((await extras(id, stranger)).status).toBe(404);
    expect((await extras(id + 1000)).status).toBe(404);
  });
});
