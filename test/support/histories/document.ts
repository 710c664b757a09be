import { rss } from '../feed-server.js';
import type { Version } from './publisher.js';

const DAY_SECONDS = 86_400;
const FIRST_DAY_SECONDS = Date.UTC(2020, 0, 1) / 1000;

function secondsOf(date: number): number {
  return FIRST_DAY_SECONDS + date * DAY_SECONDS;
}

const AUTHOR = 'entry ';

/** The true entry of an item: the author names it, and is never used to recognise entries. */
export function entryNamed(author: string | null): number {
  return Number(author?.slice(AUTHOR.length));
}

/** A document with these entries, as RSS or as JSON Feed. */
export function documentOf(
  listed: readonly Version[],
  format: 'rss' | 'json',
  fetch: number,
): string {
  if (format === 'json') {
    return JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'Histories',
      description: `fetch ${fetch}`,
      items: listed.map(({ entry, guid, title, body, date, link }) => ({
        authors: [{ name: AUTHOR + entry }],
        id: guid ?? undefined,
        title: title ?? undefined,
        content_html: body ?? undefined,
        url: link ?? undefined,
        date_published: date === null ? undefined : new Date(secondsOf(date) * 1000).toISOString(),
      })),
    });
  }
  return rss({
    title: 'Histories',
    channelXml: `<generator>fetch ${fetch}</generator>`,
    items: listed.map(({ entry, guid, title, body, date, link }) => ({
      author: AUTHOR + entry,
      ...(title === null ? {} : { title }),
      ...(guid === null ? {} : { guid }),
      ...(link === null ? {} : { link }),
      ...(body === null ? {} : { body }),
      ...(date === null ? {} : { pubDate: new Date(secondsOf(date) * 1000) }),
    })) as Parameters<typeof rss>[0]['items'],
  });
}
