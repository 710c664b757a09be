import { bodyOf, escape, publishedAt, type DemoFeed, type DemoItem } from './demo-content.js';
import { SOUND_SECONDS, soundBytes } from './demo-sounds.js';

export const FEED_TYPES: Readonly<Record<DemoFeed['format'], string>> = {
  rss: 'application/rss+xml; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
};

/** The document of a feed in its format. @param base address of the publisher */
export function writeFeed(feed: DemoFeed, base: string, startedMs: number): string {
  switch (feed.format) {
    case 'rss':
      return writeRss(feed, base, startedMs);
    case 'atom':
      return writeAtom(feed, base, startedMs);
    case 'json':
      return writeJson(feed, base, startedMs);
  }
}

/** The web page of a feed, or of one of its articles. */
export function writePage(feed: DemoFeed, slug: string | undefined, base: string): string {
  const item = feed.items.find((one) => one.slug === slug);
  const direction = feed.language === 'ar' ? ' dir="rtl"' : '';
  const list = feed.items
    .map((one) => `<li><a href="${base}/${feed.name}/${one.slug}">${escape(one.title)}</a></li>`)
    .join('');
  const body =
    item === undefined
      ? `<h1>${escape(feed.title)}</h1><p>${escape(feed.about)}</p><ul>${list}</ul>`
      : `<article><h1>${escape(item.title)}</h1>${bodyOf(feed, item, base)}</article>`;
  return `<!doctype html><html lang="${feed.language}"${direction}><head><meta charset="utf-8">
<title>${escape(item?.title ?? feed.title)}</title>
<link rel="icon" href="${base}/${feed.name}/icon.png">
<link rel="alternate" type="${FEED_TYPES[feed.format].split(';')[0]}" href="${base}/${feed.name}/feed">
<style>body{max-width:40rem;margin:3rem auto;padding:0 1rem;font:18px/1.6 system-ui}img{max-width:100%;height:auto}</style>
</head><body>${body}</body></html>`;
}

function writeRss(feed: DemoFeed, base: string, startedMs: number): string {
  const site = `${base}/${feed.name}`;
  const items = feed.items.map((item) => {
    const sound =
      item.sound === undefined
        ? ''
        : `<enclosure url="${site}/${item.slug}.wav" type="audio/wav" length="${soundBytes()}"/>
<itunes:duration>${SOUND_SECONDS}</itunes:duration>`;
    return `<item><title>${escape(item.title)}</title><link>${site}/${item.slug}</link>
<guid isPermaLink="false">${feed.name}-${item.slug}</guid>
<dc:creator>${escape(item.author ?? feed.author)}</dc:creator>
<pubDate>${publishedAt(item, startedMs).toUTCString()}</pubDate>
<content:encoded><![CDATA[${bodyOf(feed, item, base)}]]></content:encoded>${sound}${thumbnail(item, site)}</item>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:media="http://search.yahoo.com/mrss/">
<channel><title>${escape(feed.title)}</title><link>${site}/</link>
<description>${escape(feed.about)}</description><language>${feed.language}</language>
<itunes:image href="${site}/icon.png"/>
${items.join('\n')}</channel></rss>`;
}

function writeAtom(feed: DemoFeed, base: string, startedMs: number): string {
  const site = `${base}/${feed.name}`;
  const entries = feed.items.map((item) => {
    const time = publishedAt(item, startedMs).toISOString();
    return `<entry><title>${escape(item.title)}</title><id>urn:gatefold:demo:${feed.name}:${item.slug}</id>
<link href="${site}/${item.slug}"/><published>${time}</published><updated>${time}</updated>
<author><name>${escape(item.author ?? feed.author)}</name></author>
<content type="html">${escape(bodyOf(feed, item, base))}</content>${thumbnail(item, site)}</entry>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/" xml:lang="${feed.language}"><title>${escape(feed.title)}</title>
<subtitle>${escape(feed.about)}</subtitle><id>urn:gatefold:demo:${feed.name}</id>
<link href="${site}/"/><icon>${site}/icon.png</icon>
<updated>${new Date(startedMs).toISOString()}</updated>
${entries.join('\n')}</feed>`;
}

function thumbnail({ slug, scene }: DemoItem, site: string): string {
  return scene === undefined ? '' : `<media:thumbnail url="${site}/${slug}.jpg"/>`;
}

function writeJson(feed: DemoFeed, base: string, startedMs: number): string {
  const site = `${base}/${feed.name}`;
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: feed.title,
    description: feed.about,
    language: feed.language,
    home_page_url: `${site}/`,
    favicon: `${site}/icon.png`,
    authors: [{ name: feed.author }],
    items: feed.items.map((item) => ({
      id: `${feed.name}-${item.slug}`,
      url: `${site}/${item.slug}`,
      title: item.title,
      content_html: bodyOf(feed, item, base),
      date_published: publishedAt(item, startedMs).toISOString(),
      ...(item.scene !== undefined && { image: `${site}/${item.slug}.jpg` }),
    })),
  });
}
