import type { Page } from '@playwright/test';
import { crc32, deflateSync } from 'node:zlib';
import { cleanHtml } from '../../src/news/feed-parser/html/clean-html.js';
import type { FeedServer } from '../../test/support/feed-server.js';
import { PAYLOADS, SURROUNDINGS, WRITINGS } from '../../test/support/hostile-markup.js';
import { expect, expectAccessible, logIn, test } from './fixtures.js';
import { publishFeed, subscribe } from './reader-feeds.js';
import { startService, type Person, type Service } from './service.js';

/*
 * One rich article per subject. Each test opens its article directly, at the size of a desktop, and
 * looks at the same article at the size of a phone.
 */

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** A picture of one colour. */
function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const ends = Buffer.alloc(4);
    ends.writeUInt32BE(crc32(named));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, named, ends]);
  };
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  const row = Buffer.concat([
    Buffer.alloc(1),
    Buffer.alloc(width * 3, Buffer.from([74, 130, 189])),
  ]);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

let paths = 0;

async function openArticle(
  { page, service, feeds, ada }: { page: Page; service: Service; feeds: FeedServer; ada: Person },
  title: string,
  body: string,
  { link = `https://publisher.example/${encodeURIComponent(title)}`, inside = '' } = {},
): Promise<void> {
  paths += 1;
  const path = `/article-${paths}.xml`;
  const feedId = await subscribe(
    service,
    ada,
    inside === ''
      ? publishFeed(feeds, path, 'Subjects', [{ title, guid: path, link, body }])
      : publishWith(feeds, path, title, body, link, inside),
  );
  await page.setViewportSize(DESKTOP);
  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);
  await page.getByRole('link', { name: new RegExp(title) }).click();
  await expect(page.getByRole('article').getByRole('heading', { level: 1 })).toHaveText(title);
}

function publishWith(
  feeds: FeedServer,
  path: string,
  title: string,
  body: string,
  link: string,
  inside: string,
): string {
  feeds.publish(
    path,
    `<?xml version="1.0"?><rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
     <title>Subjects</title><link>${feeds.url('/')}</link><item><title>${title}</title><guid>${path}</guid>
     <link>${link}</link><description><![CDATA[${body}]]></description>${inside}</item></channel></rss>`,
  );
  return feeds.url(path);
}

/** Screenshots and accessibility: light and dark, desktop and phone. */
async function lookAt(
  page: Page,
  keepPicture: (name: string) => Promise<void>,
  name: string,
): Promise<void> {
  await expectAccessible(page);
  await keepPicture(`article-${name}`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await keepPicture(`article-${name}-dark`);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(PHONE);
  await expectAccessible(page);
  await keepPicture(`article-${name}-phone`);
}

const sidewaysOf = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

test('wide tables scroll, code is left to right, notes jump and come back', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const columns = Array.from({ length: 14 }, (_, n) => n);
  await openArticle(
    { page, service, feeds, ada },
    'Typography',
    `<p>Press <kbd>Ctrl</kbd> + <kbd>C</kbd>, or call <code>stop()</code>.<a href="#fn1" id="ref1"><sup>1</sup></a></p>
     <table><thead><tr>${columns.map((n) => `<th>Measurement ${n}</th>`).join('')}</tr></thead>
     <tbody><tr>${columns.map((n) => `<td>${n * 7919}</td>`).join('')}</tr></tbody></table>
     <table><tr><td><p>Only a layout</p></td></tr></table>
     <pre><code>const answer = ${'someFunction('.repeat(12)}42${')'.repeat(12)};</code></pre>
     <pre><code class="language-python">def <span>tide</span>(hour):
    # Twice a day.
    return "high" if hour % 12 == 6 else "&lt;b&gt;low&lt;/b&gt;"</code></pre>
     <pre><code class="language-none">def no language</code></pre>
     <dl><dt>Tide</dt><dd>The sea comes and goes.</dd></dl>
     <details><summary>More</summary><p>Hidden text</p></details>
     <figure><svg viewBox="0 0 300 120" width="300"><defs><linearGradient id="g"><stop offset="0" stop-color="#3556d8"/><stop offset="1" stop-color="#74d69c"/></linearGradient></defs><rect x="10" y="20" width="280" height="80" fill="url(#g)"/><text x="150" y="68" text-anchor="middle" fill="#fff">A drawing</text></svg><figcaption>A drawing with a caption</figcaption></figure>
     <p><math display="block"><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><msup><mi>c</mi><mn>2</mn></msup></mfrac></math></p>
     ${'<p>It goes on for a while, so that there is something to scroll.</p>'.repeat(20)}
     <p id="fn1">The note. <a href="#ref1">back</a></p>`,
  );
  const article = page.getByRole('article');
  const wide = article.locator('.wide').first();

  expect(await wide.evaluate((frame) => frame.scrollWidth > frame.clientWidth + 200)).toBe(true);
  expect(await sidewaysOf(page)).toBeLessThanOrEqual(0);
  const headings = wide.getByRole('columnheader');
  expect((await headings.first().boundingBox())?.height).toBeLessThan(80);
  await expect(article.locator('table.layout td')).toHaveCSS('border-top-width', '0px');
  const code = article.locator('pre').first();
  await expect(code).toHaveCSS('direction', 'ltr');
  const coloured = article.locator('code.language-python');
  await expect(coloured.locator('.hljs-keyword').first()).toHaveText('def');
  await expect(coloured).toContainText('return "high" if hour % 12 == 6 else "<b>low</b>"');
  await expect(article.locator('.language-none')).toHaveText('def no language');
  await expect(article.locator('.language-none span')).toHaveCount(0);
  await code.focus();
  await expect(code).toBeFocused();
  await expect(article.locator('svg rect')).toHaveAttribute('fill', 'url(#user-content-g)');
  expect((await article.locator('.article-body svg').boundingBox())?.height).toBeGreaterThan(80);
  expect((await article.locator('mfrac').boundingBox())?.height).toBeGreaterThan(25);
  await lookAt(page, keepPicture, 'typography');
  expect(await sidewaysOf(page)).toBeLessThanOrEqual(0);

  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('banner')).toBeHidden();
  await expect(page.getByRole('toolbar')).toBeHidden();
  const printed = await page.evaluate(() => document.documentElement.scrollHeight);
  expect(printed).toBeGreaterThan(((await article.boundingBox())?.height ?? Infinity) - 2);
  await keepPicture('article-typography-print');
  await page.emulateMedia({ media: 'screen' });

  await article.getByRole('link', { name: '1' }).press('Enter');
  await expect(article.getByText('The note.')).toBeInViewport();
  await expect(article.getByText('The note.')).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(article.getByRole('link', { name: '1' })).toBeFocused();
  await expect(article.getByRole('link', { name: '1' })).toBeInViewport();
  expect(page.context().pages()).toHaveLength(1);
});

test('an article from right to left has its code from left to right', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await openArticle(
    { page, service, feeds, ada },
    'المد والجزر',
    `<p dir="rtl">يرتفع البحر مرتين في اليوم، ثم <code>stop()</code> يعود إلى الشاطئ.</p>
     <blockquote dir="rtl"><p>البحر يعود دائمًا.</p></blockquote><ul dir="rtl"><li>أولًا</li><li>ثانيًا</li></ul>
     <pre>const tide = 'high';</pre>`,
  );
  const article = page.getByRole('article');

  const body = await article.locator('.article-body').boundingBox();
  const line = await article.getByText('أولًا').boundingBox();
  expect((line?.x ?? 0) + (line?.width ?? 0)).toBeGreaterThan(
    (body?.x ?? 0) + (body?.width ?? 0) - 60,
  );
  await expect(article.locator('pre')).toHaveCSS('text-align', 'left');
  await lookAt(page, keepPicture, 'rtl');
});

test('pictures open large, one after the other, and linked ones keep their link', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  for (const name of ['sea.png', 'shore.png', 'linked.png', 'enclosed.png', 'count.png']) {
    feeds.publish(`/pictures/${name}`, png(600, 300), { contentType: 'image/png' });
  }
  const picture = (name: string) => feeds.url(`/pictures/${name}`);
  await openArticle(
    { page, service, feeds, ada },
    'Pictures',
    `<p>Two pictures.</p><p><img src="${picture('sea.png')}" alt="The sea" title="In the evening" width="300" height="150"></p>
     <p><img data-src="${picture('shore.png')}" alt="The shore" title="the shore." width="300" height="150"></p>
     <p><a href="https://example.org/"><img src="${picture('linked.png')}" alt="Elsewhere" width="120" height="60"></a></p>
     <img src="${picture('count.png')}" width="1" height="1">`,
    {
      inside: `<enclosure url="${picture('enclosed.png')}" type="image/png" length="70"/>
        <enclosure url="https://cdn.example/paper.pdf" type="application/pdf" length="1234567"/>
        <enclosure url="https://cdn.example/talk.mp3" type="audio/mpeg" length="7000000"/>
        <comments>https://example.org/1#comments</comments><category>Sea</category><category>Tides</category>`,
    },
  );
  const article = page.getByRole('article');
  await expect(article.locator('.enclosed img')).toBeAttached();
  await expect(article.locator('.caption')).toHaveText(['In the evening']);
  await expect(article.getByRole('link', { name: 'Elsewhere' })).toHaveAttribute(
    'href',
    'https://example.org/',
  );
  await expect(article.getByRole('link', { name: 'Open paper.pdf' })).toBeVisible();
  await expect(article.getByText('PDF · 1.2 MB')).toBeVisible();
  await expect(article.getByRole('link', { name: 'Comments' })).toHaveAttribute(
    'href',
    'https://example.org/1#comments',
  );
  await expect(article.getByText('Tides')).toBeVisible();
  expect(feeds.requests('/pictures/count.png')).toHaveLength(0);
  await lookAt(page, keepPicture, 'pictures');
  await article.getByText('Tides').scrollIntoViewIfNeeded();
  await keepPicture('article-files-phone');
  await page.setViewportSize(DESKTOP);
  await article.getByText('Tides').scrollIntoViewIfNeeded();
  await keepPicture('article-files');

  const sea = article.getByRole('button', { name: 'Enlarge: The sea' });
  await sea.press('Enter');
  const viewer = page.getByRole('dialog', { name: 'Pictures of the article' });
  await expect(viewer.getByRole('img', { name: 'The sea' })).toBeVisible();
  await expect(viewer.getByText('The sea – In the evening')).toBeVisible();
  await lookAt(page, keepPicture, 'viewer');
  await page.keyboard.press('ArrowRight');
  await expect(viewer.getByRole('img', { name: 'The shore' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(viewer).toHaveCount(0);
  await expect(sea).toBeFocused();

  await openArticle(
    { page, service, feeds, ada },
    'Link',
    `<p><a href="https://example.org/?id=1&amp;at=2">Comments</a></p>`,
    { inside: '<comments>https://example.org/?id=1&amp;at=2</comments><category>Once</category>' },
  );
  await expect(article.getByText('Once')).toBeVisible();
  await expect(article.getByRole('link', { name: 'Comments' })).toHaveCount(1);
});

test('videos load nothing before they are asked to play', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const asked: string[] = [];
  await page.route(/youtube|vimeo|peertube/, async (route) => {
    asked.push(route.request().url());
    await route.fulfill({ contentType: 'text/html', body: '<title>player</title><p>playing</p>' });
  });
  const id = '9c9de5e8-0a1e-484a-b099-e80766180a6d';
  await openArticle(
    { page, service, feeds, ada },
    'Videos',
    `<p>Three films.</p><iframe src="https://player.vimeo.com/video/12345?h=abc" title="A film about the tide"></iframe>
     <iframe src="https://peertube.example/videos/embed/${id}" title="The free film"></iframe>
     <p>An <a href="https://youtu.be/aaaaaaaaaaa">inline link</a> stays a link.</p>
     <iframe src="https://maps.example/embed?x=1" title="A map of the shore"></iframe>`,
    { link: 'https://www.youtube.com/shorts/dQw4w9WgXcQ' },
  );
  const article = page.getByRole('article');

  await expect(article.getByRole('button', { name: /^Play/ })).toHaveCount(3);
  await expect(article.getByRole('link', { name: 'A map of the shore' })).toHaveAttribute(
    'href',
    'https://maps.example/embed?x=1',
  );
  await expect(article.getByRole('link', { name: 'inline link' })).toBeVisible();
  await expect(article.locator('.video img')).toHaveCount(0);
  await lookAt(page, keepPicture, 'videos');
  expect(asked).toEqual([]);

  await article.getByRole('button', { name: /^Play.* The free film peertube\.example/ }).click();
  await expect(article.frameLocator('iframe').getByText('playing')).toBeVisible();
  await expect(article.locator('iframe')).toHaveAttribute('sandbox', /allow-scripts/);
  expect(asked).toEqual([expect.stringContaining(`peertube.example/videos/embed/${id}`)]);
  await article.getByRole('button', { name: /^Play.* Videos YouTube/ }).press('Enter');
  await expect(
    article.locator('iframe[src*="youtube-nocookie.com/embed/dQw4w9WgXcQ"]'),
  ).toBeVisible();
  expect(asked).toHaveLength(2);
});

test('the own video has the picture of its row, and times in its text start it there', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await page.route(/youtube|ytimg/, (route) =>
    route.request().url().includes('ytimg')
      ? route.fulfill({ contentType: 'image/png', body: png(320, 180) })
      : route.fulfill({ contentType: 'text/html', body: '<title>player</title><p>playing</p>' }),
  );
  await openArticle(
    { page, service, feeds, ada },
    'Chapters',
    '<p>0:00 Intro<br>1:15 The harbour</p>',
    {
      link: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
      inside: '<media:thumbnail url="https://i.ytimg.com/vi/dQw4w9WgXcQ/hqdefault.jpg"/>',
    },
  );
  const article = page.getByRole('article');

  await expect(article.locator('.video img')).toHaveAttribute('src', /ytimg\.com.*hqdefault/);
  await article.getByRole('button', { name: '1:15' }).click();
  await expect(article.locator('.video iframe')).toHaveAttribute('src', /start=75/);
  await article.getByRole('button', { name: '0:00' }).click();
  await expect(article.locator('.video iframe')).toHaveAttribute('src', /start=0/);
});

test('the description of a picture that is broken is whole, and the head of an Arabic article has one edge', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await page.route('https://publisher.example/**', (route) => route.fulfill({ status: 404 }));
  await openArticle(
    { page, service, feeds, ada },
    'أخبار المرفأ من البحر',
    '<p>هذا نص عربي طويل.</p><img src="https://publisher.example/missing.png" alt="A harbour at dawn">',
  );
  const article = page.getByRole('article');
  const picture = article.getByRole('img', { name: 'A harbour at dawn' });
  await expect
    .poll(() => picture.evaluate((it: HTMLImageElement) => it.complete && it.naturalWidth === 0))
    .toBe(true);
  const { lineHeight, fontSize } = await picture.evaluate((it) => getComputedStyle(it));
  expect(Number.parseFloat(lineHeight)).toBeGreaterThan(Number.parseFloat(fontSize));

  const edges = await article.locator('header').evaluate((head) =>
    [...head.children]
      .filter((child) => child.matches('.feed, h1, p'))
      .map((child) => {
        const words = document.createRange();
        words.selectNodeContents(child);
        return Math.round(words.getBoundingClientRect().right);
      }),
  );
  expect(Math.max(...edges) - Math.min(...edges)).toBeLessThanOrEqual(1);
  await keepPicture('article-arabic-head');
});

test('the video of an entry plays although its text and its link do not name it', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  await openArticle({ page, service, feeds, ada }, 'Low tide', '<p>A film.</p>', {
    inside:
      '<media:content url="https://www.youtube.com/v/dQw4w9WgXcQ" type="application/x-shockwave-flash"/>',
  });
  const article = page.getByRole('article');

  await expect(article.getByRole('button', { name: /^Play.* Low tide YouTube/ })).toHaveCount(1);
  await expect(article.getByRole('region', { name: 'Files' })).toHaveCount(0);
});

test('an installation may load pictures for its readers', async ({ page, feeds, keepPicture }) => {
  const service = await startService({ GATEFOLD_PICTURES: 'proxy' });
  try {
    const ada = await service.addPerson();
    await logIn(page, service, ada);
    feeds.publish('/pictures/far.png', png(600, 300), { contentType: 'image/png' });
    feeds.publish('/pictures/cover.png', png(400, 400), { contentType: 'image/png' });
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(service.url) && !request.url().startsWith('data:')) {
        elsewhere.push(request.url());
      }
    });

    // What the service would have loaded; a card goes without a picture that it cannot load.
    await page.route(/pictures\/.*ytimg/, (route) =>
      route.fulfill({ body: png(320, 180), contentType: 'image/png' }),
    );

    await openArticle(
      { page, service, feeds, ada },
      'Far away',
      `<p>One picture.</p><p><img src="${feeds.url('/pictures/far.png')}" srcset="${feeds.url('/pictures/far.png')}?w=2 2x" alt="Far away"></p>
       <iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ" title="A film"></iframe>`,
      { inside: `<enclosure url="${feeds.url('/pictures/cover.png')}" type="image/png"/>` },
    );
    const picture = page.getByRole('article').getByRole('img', { name: 'Far away' });

    await expect(picture).toHaveJSProperty('naturalWidth', 600);
    await expect(page.locator('.enclosed img')).toHaveJSProperty('naturalWidth', 400);
    expect(await picture.getAttribute('src')).toMatch(
      /^\/apps\/news\/pictures\/[\w-]{24}\?address=/,
    );
    expect(await page.locator('.video img').getAttribute('src')).toMatch(
      /^\/apps\/news\/pictures\/[\w-]{24}\?address=https%3A%2F%2Fi\.ytimg\.com%2Fvi%2FdQw4w9WgXcQ%2F/,
    );
    expect(elsewhere).toEqual([]);
    expect(feeds.requests('/pictures/far.png')).toHaveLength(1);
    await expectAccessible(page);
    await keepPicture('article-proxy');
  } finally {
    await service.stop();
  }
});

test('an episode shows its cover and duration', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  feeds.publish('/pictures/cover.png', png(400, 400), { contentType: 'image/png' });
  await openArticle({ page, service, feeds, ada }, 'Episode 7', '<p>About tides.</p>', {
    inside: `<enclosure url="${feeds.url('/7.mp3')}" type="audio/mpeg"/><itunes:duration>62:30</itunes:duration>
      <itunes:image href="${feeds.url('/pictures/cover.png')}"/>`,
  });
  const recording = page.locator('.recording');
  await expect(recording.locator('img')).toHaveJSProperty('naturalWidth', 400);
  await expect(recording).toContainText('1:02:30');
  await lookAt(page, keepPicture, 'episode');
});

test('what the service lets through means the same to a browser', async ({ page }) => {
  const bodies = SURROUNDINGS.flatMap((surrounding) =>
    PAYLOADS.flatMap((payload) =>
      WRITINGS.map((write) =>
        cleanHtml(
          surrounding.replace('*', () => write(payload)),
          'https://example.org/post/',
        ),
      ),
    ),
  );

  const dangers = await page.evaluate(
    (all) => {
      const dangerous =
        'script, style, object, embed, form, input, base, link, meta, template, title, foreignObject, ' +
        'animate, set, use, image, desc, annotation-xml, mglyph, iframe[srcdoc]';
      const isDangerous = ({ name, value }: Attr) =>
        /^(?:on|style$|srcdoc$|xlink|formaction$)/i.test(name) ||
        (/^(?:href|src|poster|cite)$/.test(name) &&
          /^\s*(?:javascript|data:text|vbscript)/i.test(value)) ||
        (/^(?:fill|stroke|clip-path)$/.test(name) && /url\((?!#user-content-)/i.test(value));
      return all.filter((html) => {
        const body = new DOMParser().parseFromString(html, 'text/html').body;
        const parts = [...body.querySelectorAll('*')];
        return (
          body.querySelector(dangerous) !== null ||
          parts.some((part) => [...part.attributes].some(isDangerous)) ||
          parts.some((part) => part instanceof HTMLElement && part.closest('svg') !== null)
        );
      });
    },
    [...new Set(bodies)],
  );

  expect(bodies.length).toBeGreaterThan(5_000);
  expect(dangers.slice(0, 3)).toEqual([]);
});

test('the full text of one article is fetched from its page, and the feed’s text comes back', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  feeds.publish(
    '/whole-story',
    `<html><body><article><h2>The whole story</h2>${`<p>${'It goes on, and on, for a while. '.repeat(9)}</p>`.repeat(3)}</article></body></html>`,
    { contentType: 'text/html; charset=utf-8' },
  );
  const link = feeds.url('/whole-story');
  await openArticle({ page, service, feeds, ada }, 'Teased', '<p>Only a teaser.</p>', { link });
  const article = page.getByRole('article').first();

  await page.getByRole('button', { name: 'Show the full text' }).click();
  await expect(article).toContainText('The whole story');
  await expect(article).not.toContainText('Only a teaser');
  await lookAt(page, keepPicture, 'full-text');
  expect(await sidewaysOf(page)).toBeLessThanOrEqual(0);
  await page.getByRole('button', { name: 'Show the feed’s text' }).click();
  await expect(article).toContainText('Only a teaser');

  await openArticle({ page, service, feeds, ada }, 'Lost', '<p>Only a teaser.</p>', {
    link: feeds.url('/lost'),
  });
  await page.getByRole('button', { name: 'Show the full text' }).click();
  await expect(page.getByText(/status 404/)).toBeVisible();
  await expect(article).toContainText('Only a teaser');
});
