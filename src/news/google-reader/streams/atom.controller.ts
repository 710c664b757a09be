import { Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { Get } from '../../../common/contracts/routes.js';
import type { Fields } from '../../../common/http/read-fields.js';
import { escapeXml } from '../../http/escape-xml.js';
import { streamList } from '../../http/json-list-stream.js';
import { CurrentReader } from '../../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../../reader/delivery/reader-ids.repository.js';
import { shownTitle, type StreamItem } from '../../reader/streams/stream.js';
import { StreamsService } from '../../reader/streams/streams.service.js';
import { StreamFields } from '../http/form-fields.input.js';
import { GoogleReaderController, SentFields } from '../http/google-reader-controller.decorator.js';
import { decimalItemId, longItemId } from '../item-ids.js';
import { labelId, stateId } from '../stream-names.js';
import {
  pageOf,
  shownStream,
  streamInPath,
  oneMoreThan,
  streamRequestOf,
} from './stream-request.input.js';
import type { FeedPlace } from './stream-sets.repository.js';
import { StreamSetsService } from './stream-sets.service.js';

const MOST_ENTRIES = 1000;

/** Scheme of the categories for states and labels; newsboat requires this one. */
const SCHEME = 'http://www.google.com/reader/';

/** Greater numbers are no date. */
const LAST_SECOND = 253_402_300_799;

/**
 * Streams as Atom documents, which newsboat reads with `urls-source "feedhq"`.
 *
 * @see docs/google-reader-api.md "Streams"
 */
@GoogleReaderController('reader/atom')
export class AtomController {
  constructor(
    private readonly streams: StreamsService,
    private readonly sets: StreamSetsService,
  ) {}

  @Get(
    '*stream',
    'Sends the items of a stream as Atom.',
    new Media('application/atom+xml', 'An Atom feed.'),
    {
      input: StreamFields,
    },
  )
  async show(
    @CurrentReader() reader: Reader,
    @SentFields() fields: Fields,
    @Req() { path }: Request,
    @Res() response: Response,
  ): Promise<void> {
    const request = streamRequestOf(fields, MOST_ENTRIES, streamInPath(path, 'reader/atom'));
    const selection = await this.sets.selectionOf(reader, request);
    const all = await this.streams.contents(reader, selection, oneMoreThan(request));
    const page = pageOf(all, request.length);
    const feeds = await this.sets.feedPlaces(reader);
    await streamList(response, page.batches, {
      head: atomHead(shownStream(request.stream, feeds)),
      toText: (item) => atomEntry(item, feeds.get(item.feedId)),
      tail: () => {
        const last = page.continuesAfter();
        return atomTail(last === null ? null : decimalItemId(last.id));
      },
      encoding: 'utf8',
      contentType: 'application/atom+xml; charset=utf-8',
      separator: '',
    });
  }
}

/** The beginning of a document, up to its entries. */
export function atomHead(stream: { readonly id: string; readonly title: string }): string {
  const id = escapeXml(`tag:google.com,2005:reader/${stream.id}`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:gr="${SCHEME}atom/">
<id>${id}</id><title>${escapeXml(stream.title)}</title>
`;
}

/** The text between the last entry and the end. */
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
