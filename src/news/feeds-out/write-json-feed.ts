import { isoDate, type PublishedEntry, type PublishedList } from './published-entry.js';
import type { ListAddresses } from './write-atom.js';

/** Writes a list as a JSON Feed 1.1, in pieces. */
export function* writeJsonFeed(
  list: PublishedList,
  { json, page }: ListAddresses,
): Generator<string> {
  const head = {
    version: 'https://jsonfeed.org/version/1.1',
    title: list.name,
    home_page_url: page,
    feed_url: json,
  };
  yield `${JSON.stringify(head).slice(0, -1)},"items":[`;
  let separator = '';
  for (const entry of list.entries) {
    yield separator + JSON.stringify(jsonItem(entry));
    separator = ',\n';
  }
  yield ']}\n';
}

function jsonItem({ id, title, url, author, source, excerpt, html, ...entry }: PublishedEntry) {
  const name = author ?? source.title;
  return {
    id,
    title,
    url: url ?? undefined,
    content_html: html,
    summary: excerpt ?? undefined,
    date_published: isoDate(entry.publishedSeconds),
    date_modified: isoDate(entry.updatedSeconds),
    authors: name === '' ? undefined : [{ name }],
    tags: entry.tags.length === 0 ? undefined : entry.tags,
    attachments:
      entry.enclosures.length === 0
        ? undefined
        : entry.enclosures.map(({ url, mime, length }) => ({
            url,
            mime_type: mime ?? 'application/octet-stream',
            size_in_bytes: length ?? undefined,
          })),
  };
}
