/*
 * The documents of the feed farm: 30 items each with HTML of about 4 KB, different for every item and
 * the same in every run but for the dates.
 */

export const ITEMS_PER_FEED = 30;
const NEW_ITEMS_PER_EDITION = 3;
const MINUTE_MS = 60_000;

/**
 * @param feed number from 0 @param edition how often the feed has published three new items @param siteUrl
 *   address of the farm, without a trailing slash
 * @param nowMs items of the first edition are older, items of later editions newer
 */
export function documentOf(feed: number, edition: number, siteUrl: string, nowMs: number): string {
  const newest = ITEMS_PER_FEED + edition * NEW_ITEMS_PER_EDITION;
  const items = Array.from({ length: ITEMS_PER_FEED }, (_, n) =>
    anItem(feed, newest - n, siteUrl, nowMs),
  );
  const title = `Feed ${feed}: ${titleOf(randomNumbers(feed))}`;
  return feed % 4 === 3
    ? atom(feed, title, siteUrl, items)
    : rss(title, siteUrl, items, feed % 4 === 2);
}

interface Item {
  readonly title: string;
  readonly url: string;
  readonly author: string;
  readonly date: Date;
  readonly summary: string;
  readonly html: string;
}

function anItem(feed: number, n: number, siteUrl: string, nowMs: number): Item {
  const random = randomNumbers(feed * 100_003 + n);
  return {
    title: titleOf(random),
    url: `${siteUrl}/articles/${feed}/${n}`,
    author: `${capital(word(random))} ${capital(word(random))}`,
    date: new Date(nowMs + (n - ITEMS_PER_FEED) * 37 * MINUTE_MS),
    summary: `${sentence(random)} ${sentence(random)}`,
    html: article(random, `${siteUrl}/articles/${feed}/${n}`),
  };
}

/** Most feeds have the full text beside a summary; some have it as the description. */
function rss(
  title: string,
  siteUrl: string,
  items: readonly Item[],
  inDescription: boolean,
): string {
  const entries = items.map(
    (item) => `    <item>
      <title>${escaped(item.title)}</title>
      <link>${item.url}</link>
      <guid isPermaLink="true">${item.url}</guid>
      <dc:creator>${escaped(item.author)}</dc:creator>
      <pubDate>${item.date.toUTCString()}</pubDate>
      <category>${item.author.split(' ')[0]}</category>
${
  inDescription
    ? `      <description>${escaped(item.html)}</description>`
    : `      <description>${escaped(item.summary)}</description>
      <content:encoded><![CDATA[${item.html}]]></content:encoded>`
}
    </item>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <channel>
    <title>${escaped(title)}</title>
    <link>${siteUrl}/</link>
    <description>${escaped(title)}</description>
    <language>en</language>
${entries.join('\n')}
  </channel>
</rss>`;
}

function atom(feed: number, title: string, siteUrl: string, items: readonly Item[]): string {
  const entries = items.map(
    (item) => `  <entry>
    <title>${escaped(item.title)}</title>
    <link rel="alternate" href="${item.url}"/>
    <id>${item.url}</id>
    <author><name>${escaped(item.author)}</name></author>
    <published>${item.date.toISOString()}</published>
    <updated>${item.date.toISOString()}</updated>
    <summary>${escaped(item.summary)}</summary>
    <content type="html">${escaped(item.html)}</content>
  </entry>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <title>${escaped(title)}</title>
  <id>${siteUrl}/feeds/${feed}</id>
  <link rel="alternate" href="${siteUrl}/"/>
  <updated>${items[0]?.date.toISOString() ?? ''}</updated>
${entries.join('\n')}
</feed>`;
}

/** The first paragraph is the item's own; the others are drawn from a stock. */
function article(random: Random, url: string): string {
  const own = `<p>${sentence(random)} ${sentence(random)} <a href="${url}?ref=feed">${word(random)} ${word(random)}</a>.</p>`;
  const figure = `<figure><img src="${url}/picture.jpg" alt="${sentence(random)}" width="640" height="360" srcset="${url}/picture-2x.jpg 2x" loading="lazy"/><figcaption>${sentence(random)}</figcaption></figure>`;
  const blocks = Array.from({ length: 5 }, () => STOCK[random() % STOCK.length] ?? '');
  return [own, figure, ...blocks].join('\n');
}

type Random = () => number;

/** Whole numbers below 2^32 from a seed: mulberry32. */
function randomNumbers(seed: number): Random {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

const SYLLABLES =
  'ka to mi re su lan der vo pel nir as tem gor lia bun shi zar mel ton ved qua rin fol hes dra'.split(
    ' ',
  );
const WORDS = Array.from({ length: 3000 }, (_, n) => {
  const random = randomNumbers(n * 31 + 7);
  const length = 1 + (random() % 3) + (n > 200 ? 1 : 0);
  return Array.from({ length }, () => SYLLABLES[random() % SYLLABLES.length]).join('');
});
const STOCK = Array.from({ length: 4096 }, (_, n) => block(randomNumbers(n * 17 + 3), n));

/** Frequent words are more likely, as in prose. */
function word(random: Random): string {
  const share = (random() % 10_000) / 10_000;
  return WORDS[Math.floor(share ** 3 * WORDS.length)] ?? 'word';
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function titleOf(random: Random): string {
  return capital(Array.from({ length: 4 + (random() % 6) }, () => word(random)).join(' '));
}

function sentence(random: Random): string {
  const words = Array.from({ length: 7 + (random() % 12) }, () => word(random));
  return `${capital(words.join(' '))}.`;
}

/** About 450 bytes of typical feed content, including parts that sanitisers remove. */
function block(random: Random, n: number): string {
  const text = `${sentence(random)} ${sentence(random)} <em>${word(random)}</em> &amp; &#8220;${sentence(random)}&#8221; ${sentence(random)}`;
  switch (n % 12) {
    case 0:
      return `<ul><li>${sentence(random)}</li><li>${sentence(random)}</li><li><strong>${word(random)}</strong> ${sentence(random)}</li></ul>`;
    case 1:
      return `<h2 id="section-${n}">${titleOf(random)}</h2><p class="wp-block" style="margin:0 auto">${text}</p>`;
    case 2:
      return `<blockquote cite="https://example.org/${word(random)}"><p>${text}</p></blockquote>`;
    case 3:
      return `<pre><code>if (${word(random)} &lt; ${word(random)}) {\n  return ${word(random)}(${word(random)});\n}</code></pre><p>${text}</p>`;
    case 4:
      return `<p>${text}<br/>${sentence(random)} <a href="https://example.org/${word(random)}/${n}" target="_blank" rel="noopener" onclick="track(${n})">${word(random)}</a></p>`;
    case 5:
      return `<div class="share"><img src="https://tracker.example.org/pixel?id=${n}" width="1" height="1" alt=""/><script>window.shared = ${n};</script></div><p>${text}</p>`;
    case 6:
      return `<table><tr><th>${word(random)}</th><th>${word(random)}</th></tr><tr><td>${n}</td><td>${sentence(random)}</td></tr></table><p>${text}</p>`;
    default:
      return `<p>${text} ${sentence(random)}</p>`;
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
