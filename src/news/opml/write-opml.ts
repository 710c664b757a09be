import type { Response } from 'express';
import { sendStream } from '../../common/http/send-stream.js';
import { Turns } from '../../common/turns.js';
import { escapeXml } from '../http/escape-xml.js';
import type { ExportedFeed } from './opml.repository.js';

/** How feeds are written. */
interface FeedManner {
  /** Attributes that only Gatefold knows, by their names without the prefix `gatefold:`. */
  readonly own: (feed: ExportedFeed) => Readonly<Record<string, string | null>>;
  readonly shown: (url: string) => string;
}

interface OpmlManner {
  /** Further elements of the head. */
  readonly head: string;
  /** Whether anything has the prefix `gatefold`. */
  readonly isOurs: boolean;
  /** Default: addresses as they are, credentials included, without settings. */
  readonly manner?: FeedManner;
}

/**
 * Writes a user's feeds as OPML 2.0, in pieces: feeds without a folder first, then folder by folder,
 * empty ones included. What only groups give is marked; their credentials are not in its address.
 *
 * @param batches in the order of `OpmlRepository.export`
 */
export async function* writeOpml(
  batches: AsyncIterable<readonly ExportedFeed[]>,
  ownerName: string,
  now: Date,
  { head, isOurs, manner }: OpmlManner,
): AsyncGenerator<string, void, undefined> {
  yield [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<opml version="2.0"${isOurs ? ' xmlns:gatefold="https://gatefold.org/opml"' : ''}>`,
    '  <head>',
    `    <title>Subscriptions of ${escapeXml(ownerName)}</title>`,
    `    <dateCreated>${now.toUTCString()}</dateCreated>`,
    ...(head === '' ? [] : [`    ${head}`]),
    '  </head>',
    '  <body>\n',
  ].join('\n');
  const turns = new Turns();
  let openFolderId: number | null = null;
  for await (const batch of batches) {
    let text = '';
    for (const row of batch) {
      if (row.folderId !== openFolderId) {
        text += openFolderId === null ? '' : '    </outline>\n';
        text += `    <outline${attributes({ text: row.folderName ?? '', title: row.folderName ?? '' })}>\n`;
        openFolderId = row.folderId;
      }
      text += row.url === null ? '' : feedOutline(row, row.url, manner);
    }
    yield text;
    await turns.take();
  }
  yield `${openFolderId === null ? '' : '    </outline>\n'}  </body>\n</opml>\n`;
}

function feedOutline(feed: ExportedFeed, url: string, manner?: FeedManner): string {
  const { folderId, title, link, given } = feed;
  const own = Object.entries({ given, ...manner?.own(feed) });
  const ours = Object.fromEntries(own.map(([name, value]) => [`gatefold:${name}`, value]));
  const xmlUrl = manner?.shown(url) ?? url;
  // Before the first fetch: a name that we invented would stay, as the user's, wherever the file is imported.
  const names = title ? { text: title, title } : { text: '' };
  const written = attributes({ ...names, type: 'rss', xmlUrl, htmlUrl: link, ...ours });
  return `${folderId === null ? '    ' : '      '}<outline${written}/>\n`;
}

function attributes(values: Readonly<Record<string, string | null>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === null ? '' : ` ${name}="${escapeXml(value)}"`))
    .join('');
}

/** Sends a file of feeds while it is being written. */
export async function sendOpml(response: Response, pieces: AsyncIterable<string>): Promise<void> {
  response.status(200).set({
    'Content-Type': 'text/x-opml; charset=utf-8',
    'Content-Disposition': 'attachment; filename="subscriptions.opml"',
  });
  await sendStream(response, pieces);
}
