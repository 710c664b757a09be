import { escapeXml } from '../../http/escape-xml.js';
import { shownTitle } from '../../reader/streams/shown-title.js';
import type { StreamItem } from '../../reader/streams/stream.js';
import { longItemId } from '../item-ids.js';
import { labelId, stateId } from '../stream-names.js';
import type { FeedPlace } from '../streams/stream-sets.repository.js';

/** Of the categories that are states and labels. newsboat knows only this. */
const SCHEME = 'http://www.google.com/reader/';

/** Greater numbers are no date. */
const LAST_SECOND = 253_402_300_799;

/** The beginning of a document, up to its entries. */
export function atomHead(stream: { readonly id: string; readonly title: string }): string {
  const id = escapeXml(`tag:google.com,2005:reader/${stream.id}`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:gr="${SCHEME}atom/">
<id>${id}</id><title>${escapeXml(stream.title)}</title>
`;
}

/** Between the last entry and the end. */
export function atomTail(continuation: string | null): string {
  return continuation === null
    ? '</feed>\n'
    : `<gr:continuation>${continuation}</gr:continuation></feed>\n`;
}

/** An entry; a category says whether it is read. */
export function atomEntry(item: StreamItem, feed: FeedPlace | undefined): string {
  const { url, author, enclosures, updatedDateSeconds, pubDateSeconds } = item;
  const folder = feed?.folder ?? null;
  const labels = [...(folder === null ? [] : [folder]), ...item.labels];
  const parts = [
    `<id>${longItemId(item.id)}</id>`,
    category(stateId(item.unread ? 'fresh' : 'read'), item.unread ? 'fresh' : 'read'),
    ...(item.starred ? [category(stateId('starred'), 'starred')] : []),
    ...[...new Set(labels)].map((name) => category(labelId(name), name)),
    `<title type="text">${escapeXml(shownTitle(item))}</title>`,
    `<published>${timeOf(pubDateSeconds)}</published>`,
    `<updated>${timeOf(updatedDateSeconds ?? pubDateSeconds)}</updated>`,
    ...(url === null ? [] : [`<link rel="alternate" href="${escapeXml(url)}" type="text/html"/>`]),
    ...enclosures.map(
      ({ url: href, mime }) =>
        `<link rel="enclosure" href="${escapeXml(href)}" type="${escapeXml(mime ?? '')}"/>`,
    ),
    `<summary type="html">${escapeXml(item.body)}</summary>`,
    ...(author === null ? [] : [`<author><name>${escapeXml(author)}</name></author>`]),
  ];
  return `<entry>${parts.join('')}</entry>\n`;
}

function category(term: string, label: string): string {
  return `<category term="${escapeXml(term)}" scheme="${SCHEME}" label="${escapeXml(label)}"/>`;
}

function timeOf(seconds: number): string {
  const date = new Date(Math.max(0, Math.min(seconds, LAST_SECOND)) * 1000);
  return date.toISOString().replace('.000Z', 'Z');
}
