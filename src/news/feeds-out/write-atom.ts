import { escapeXml } from '../http/escape-xml.js';
import { isoDate, type PublishedEntry, type PublishedList } from './published-entry.js';

/** Where the formats of a list are; absolute. */
export interface ListAddresses {
  readonly page: string;
  readonly atom: string;
  readonly json: string;
}

/** Writes a list as an Atom feed (RFC 4287), in pieces. */
export function* writeAtom(list: PublishedList, { atom, page }: ListAddresses): Generator<string> {
  yield `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
${element('id', list.id)}
${element('title', list.name)}
${element('updated', isoDate(list.updatedSeconds))}
${link('self', atom, { type: 'application/atom+xml' })}
${link('alternate', page, { type: 'text/html' })}
<generator>Gatefold</generator>
`;
  for (const entry of list.entries) {
    yield `${atomEntry(entry)}\n`;
  }
  yield '</feed>\n';
}

function atomEntry(entry: PublishedEntry): string {
  const { id, title, url, author, source, enclosures, tags, excerpt, html } = entry;
  return [
    '<entry>',
    element('id', id),
    element('title', title),
    element('published', isoDate(entry.publishedSeconds)),
    element('updated', isoDate(entry.updatedSeconds)),
    url === null ? '' : link('alternate', url),
    ...enclosures.map((file) =>
      link('enclosure', file.url, { type: file.mime, length: file.length }),
    ),
    `<author>${element('name', author ?? (source.title || 'Unknown'))}</author>`,
    ...tags.map((tag) => `<category term="${escapeXml(tag)}"/>`),
    atomSource(entry),
    excerpt === null ? element('content', html, 'html') : element('summary', html, 'html'),
    '</entry>',
  ]
    .filter(Boolean)
    .join('\n');
}

function atomSource({ source, updatedSeconds }: PublishedEntry): string {
  const website = source.link === null ? '' : link('alternate', source.link);
  return source.title + website === ''
    ? ''
    : `<source>${source.link === null ? '' : element('id', source.link)}${element('title', source.title)}${element('updated', isoDate(updatedSeconds))}${website}</source>`;
}

function element(name: string, text: string, type?: string): string {
  return `<${name}${type === undefined ? '' : ` type="${type}"`}>${escapeXml(text)}</${name}>`;
}

function link(
  rel: string,
  href: string,
  more: Readonly<Record<string, string | number | null>> = {},
): string {
  const attributes = Object.entries({ rel, href, ...more }).flatMap(([name, value]) =>
    value === null ? [] : [`${name}="${escapeXml(String(value))}"`],
  );
  return `<link ${attributes.join(' ')}/>`;
}
