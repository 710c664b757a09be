import { beforeEach, describe, expect, it } from '@jest/globals';
import { LEVELS, NewsClient, titles } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';

const { app, publisher } = await sharedService();

const NAMESPACES =
  'xmlns:media="http://search.yahoo.com/mrss/" xmlns:content="http://purl.org/rss/1.0/modules/content/"';

describe.each(LEVELS)('%s contents of items', (level) => {
  let news: NewsClient;
  beforeEach(async () => {
    news = new NewsClient(await app.signIn(), level);
  });

  async function itemsOf(entries: string, channel = ''): Promise<readonly unknown[]> {
    publisher.publish(
      '/contents/feed.xml',
      `<?xml version="1.0"?><rss version="2.0" ${NAMESPACES}><channel><title>Contents</title>
       <link>${publisher.url('/site/')}</link>${channel}${entries}</channel></rss>`,
    );
    const feed = await news.subscribe(publisher.url('/contents/feed.xml'));
    return news.items({ type: 0, id: feed.id });
  }

  it('[N102] contain no scripts, and frames of known players only', async () => {
    await itemsOf(`<item><title>x</title><guid>g</guid><description><![CDATA[
      <p onclick="steal()">text</p><script>steal()</script><style>p{}</style>
      <a href="javascript:steal()">link</a><img src="x" onerror="steal()">
      <iframe src="https://evil.example/"></iframe>
      <iframe src="https://www.youtube-nocookie.com/embed/abc"></iframe>]]></description></item>`);

    const { body } = await news.item('x');
    expect(body).toContain('<p>text</p>');
    expect(body).toContain('youtube-nocookie.com/embed/abc');
    expect(body).toContain('<a href="https://evil.example/"');
    expect(body).not.toMatch(/script|steal|onclick|onerror|javascript:|style|src="https:\/\/evil/);
  });

  it('load nothing from this service', async () => {
    const { baseUrl } = await app.signIn();
    await itemsOf(`<item><title>x</title><guid>g</guid><media:thumbnail url="${baseUrl}/thumb"/>
      <description><![CDATA[<p>text</p><img src="${baseUrl}/one"><img srcset="${baseUrl}/two 1x">
      <video poster="${baseUrl}/three"></video><img src="https://cdn.example/i.png">]]></description></item>`);

    const { body, mediaThumbnail } = await news.item('x');
    expect(body).toContain('<img src="https://cdn.example/i.png" />');
    expect(body).not.toContain(baseUrl);
    expect(mediaThumbnail).toBeNull();
  });

  it('[N103] have absolute addresses, resolved against xml:base or the address of the item', async () => {
    await itemsOf(
      `<item><title>x</title><link>${publisher.url('/posts/1')}</link><guid>g</guid>
        <description>&lt;a href="more"&gt;m&lt;/a&gt;&lt;img src="/pic.png"&gt;</description></item>
       <item xml:base="https://base.example/dir/"><title>y</title><guid>h</guid>
        <description>&lt;a href="more"&gt;m&lt;/a&gt;</description></item>`,
    );

    const { body } = await news.item('x');
    expect(body).toContain(`href="${publisher.url('/posts/more')}"`);
    expect(body).toContain(`src="${publisher.url('/pic.png')}"`);
    expect((await news.item('y')).body).toContain('href="https://base.example/dir/more"');
  });

  it('[N104] include media enclosures and their thumbnails, and no other enclosures', async () => {
    await itemsOf(
      `<item><title>podcast</title><guid>1</guid>
        <enclosure url="https://cdn.example/a.mp3" type="audio/mpeg" length="1"/>
        <media:thumbnail url="https://cdn.example/t.jpg"/>
        <media:description>About it</media:description></item>
       <item><title>paper</title><guid>2</guid>
        <enclosure url="https://cdn.example/a.pdf" type="application/pdf" length="1"/></item>`,
    );

    expect(await news.item('podcast')).toMatchObject({
      enclosureLink: 'https://cdn.example/a.mp3',
      enclosureMime: 'audio/mpeg',
      mediaThumbnail: 'https://cdn.example/t.jpg',
      mediaDescription: 'About it',
    });
    expect(await news.item('paper')).toMatchObject({ enclosureLink: null, enclosureMime: null });
  });

  it('[N105] use the link where there is no guid, and omit an empty entry', async () => {
    await itemsOf(
      `<item><title>linked</title><link>https://publisher.example/1</link></item>
       <item></item>
       <item><title>named</title><guid isPermaLink="false">n</guid></item>`,
    );

    expect(titles(await news.items())).toEqual(['linked', 'named']);
    expect((await news.item('linked')).guid).toBe('https://publisher.example/1');
  });

  it('[N106] have titles without markup and entities, with emoji and four-byte characters', async () => {
    await itemsOf(
      `<item><guid>1</guid><title>Tom &amp;amp; Jerry &lt;b&gt;&#128512;&lt;/b&gt; 𝕏 漢 &eacute;</title></item>`,
    );

    expect(titles(await news.items())).toEqual(['Tom & Jerry 😀 𝕏 漢 é']);
  });

  it('link to web addresses only', async () => {
    await itemsOf(
      `<item><title>x</title><guid isPermaLink="false">g</guid><link>javascript:steal()</link>
        <enclosure url="data:audio/mpeg;base64,AAAA" type="audio/mpeg"/></item>`,
    );

    expect(await news.item('x')).toMatchObject({ url: null, enclosureLink: null });
  });
});
