import { Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { ReadsByPost } from '../../../common/auth/in-scope.decorator.js';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { ApiPost, Get } from '../../../common/contracts/routes.js';
import type { Fields } from '../../../common/http/read-fields.js';
import { streamList } from '../../http/json-list-stream.js';
import { titleOrHost } from '../../news.wire.js';
import { CurrentReader } from '../../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../../reader/delivery/reader-ids.repository.js';
import { shownTitle, type StreamItem } from '../../reader/streams/stream.js';
import { StreamsService } from '../../reader/streams/streams.service.js';
import { StreamFields, NamedItemFields } from '../http/form-fields.input.js';
import { TakesTokenInForm } from '../http/google-login.guard.js';
import {
  PlainText,
  GoogleReaderController,
  SentFields,
} from '../http/google-reader-controller.decorator.js';
import { decimalItemId, itemIdsOf, longItemId } from '../item-ids.js';
import { READING_LIST, stateId, feedStreamId, labelId } from '../stream-names.js';
import {
  pageOf,
  streamRequestOf,
  oneMoreThan,
  shownStream,
  streamInPath,
} from './stream-request.input.js';
import type { FeedPlace } from './stream-sets.repository.js';
import { StreamSetsService } from './stream-sets.service.js';

const MOST_IDS = 1_000_000;
const MOST_CONTENTS = 50_000;

type Feeds = ReadonlyMap<number, FeedPlace>;

const LONGEST_INT32 = 2_147_483_647;

const seconds = z.int().describe('Unix seconds.');

export const StreamItemSchema = z
  .object({
    id: z.string(),
    crawlTimeMsec: z.string(),
    timestampUsec: z.string(),
    published: seconds,
    updated: seconds,
    title: z.string(),
    author: z.string().optional(),
    canonical: z.array(z.object({ href: z.string() })),
    alternate: z.array(z.object({ href: z.string(), type: z.string() })),
    summary: z.object({ content: z.string().describe('Sanitized HTML.') }),
    categories: z.array(z.string()),
    origin: z.object({ streamId: z.string(), title: z.string(), htmlUrl: z.string() }),
    enclosure: z
      .array(z.object({ href: z.string(), type: z.string(), length: z.int().optional() }))
      .optional(),
  })
  .meta({ id: 'StreamItem' });

export const StreamAnswer = z.object({
  id: z.string(),
  title: z.string().optional(),
  updated: seconds,
  items: z.array(StreamItemSchema),
  continuation: z.string().optional().describe('For `c` of the next page; absent on the last one.'),
});

export const StreamIdsAnswer = z.object({
  itemRefs: z.array(z.object({ id: z.string() })),
  continuation: z.string().optional(),
});

/**
 * Lists of items: their ids, and with contents. First pages deliver; pages that continue never do.
 *
 * @see docs/google-reader-api.md "Streams"
 */
@GoogleReaderController()
export class StreamsController {
  constructor(
    private readonly streams: StreamsService,
    private readonly sets: StreamSetsService,
  ) {}

  @Get('stream/items/ids', 'Lists the ids of the items of a stream.', StreamIdsAnswer, {
    input: StreamFields,
  })
  async ids(
    @CurrentReader() reader: Reader,
    @SentFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const request = streamRequestOf(fields, MOST_IDS);
    const selection = await this.sets.selectionOf(reader, request);
    const all = await this.streams.ids(reader, selection, oneMoreThan(request));
    const page = pageOf(all, request.length);
    await streamList(response, page.batches, {
      head: '{"itemRefs":[',
      toText: (itemId) => `{"id":"${decimalItemId(itemId)}"}`,
      tail: () => `]${continuationJson(page.continuesAfter())}}`,
      encoding: 'utf8',
    });
  }

  @Get(
    'stream/items/count',
    'Counts the items of a stream.',
    new Media('text/plain', 'A number.'),
    {
      input: StreamFields,
    },
  )
  @PlainText()
  async count(@CurrentReader() reader: Reader, @SentFields() fields: Fields) {
    const selection = await this.sets.selectionOf(reader, streamRequestOf(fields, 1));
    return String(await this.streams.count(reader, selection));
  }

  @Get('stream/items/contents', 'Sends named items.', StreamAnswer, { input: NamedItemFields })
  async namedByQuery(
    @CurrentReader() reader: Reader,
    @SentFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    await this.#sendNamed(reader, fields, response);
  }

  @ApiPost('stream/items/contents', 'Sends named items.', StreamAnswer, { input: NamedItemFields })
  @ReadsByPost()
  @TakesTokenInForm()
  async named(
    @CurrentReader() reader: Reader,
    @SentFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    await this.#sendNamed(reader, fields, response);
  }

  /** The stream is named in the path, escaped or not, or by `s`. */
  @Get(
    ['stream/contents', 'stream/contents/*stream'],
    'Sends the items of a stream.',
    StreamAnswer,
    { input: StreamFields },
  )
  async contents(
    @CurrentReader() reader: Reader,
    @SentFields() fields: Fields,
    @Req() { path }: Request,
    @Res() response: Response,
  ): Promise<void> {
    const request = streamRequestOf(fields, MOST_CONTENTS, streamInPath(path, 'stream/contents'));
    const selection = await this.sets.selectionOf(reader, request);
    const all = await this.streams.contents(reader, selection, oneMoreThan(request));
    const feeds = await this.sets.feedPlaces(reader);
    const page = pageOf(all, request.length);
    const { id, title } = shownStream(request.stream, feeds);
    await sendItems(
      response,
      { id, title, updated: nowSeconds(response) },
      page.batches,
      feeds,
      () => continuationJson(page.continuesAfter()?.id ?? null),
    );
  }

  /** Missing items are omitted. */
  async #sendNamed(reader: Reader, fields: Fields, response: Response): Promise<void> {
    const items = await this.streams.named(reader, itemIdsOf(fields.all('i')));
    const feeds = await this.sets.feedPlaces(reader);
    const head = { id: stateId(READING_LIST), updated: nowSeconds(response) };
    await sendItems(response, head, items, feeds, () => '');
  }
}

/** Continuation as text, which clients require; omitted at the end. */
function continuationJson(itemId: number | null): string {
  return itemId === null ? '' : `,"continuation":"${decimalItemId(itemId)}"`;
}

async function sendItems(
  response: Response,
  head: object,
  batches: AsyncIterable<readonly StreamItem[]>,
  feeds: Feeds,
  continuation: () => string,
): Promise<void> {
  await streamList(response, batches, {
    head: `${JSON.stringify(head).slice(0, -1)},"items":[`,
    toText: (item) => streamItemJson(item, feeds.get(item.feedId)),
    tail: () => `]${continuation()}}`,
    encoding: 'utf8',
  });
}

/** The time at which the request began, from the `Date` header of the answer. */
function nowSeconds(response: Response): number {
  return Math.floor(Date.parse(String(response.getHeader('Date'))) / 1000);
}

/**
 * An item as the strictest clients decode it: no null, no empty title, times of arrival as texts.
 *
 * @see docs/google-reader-api.md "Items"
 */
export function streamItemJson(item: StreamItem, feed: FeedPlace | undefined): string {
  const href = item.url ?? '';
  return JSON.stringify({
    id: longItemId(item.id),
    crawlTimeMsec: String(Math.floor(item.arrivedMicros / 1000)),
    timestampUsec: String(item.arrivedMicros),
    published: int32(item.pubDateSeconds),
    updated: int32(item.updatedDateSeconds ?? item.pubDateSeconds),
    title: shownTitle(item),
    author: item.author ?? undefined,
    canonical: [{ href }],
    alternate: [{ href, type: 'text/html' }],
    summary: { content: item.body },
    categories: categoriesOf(item, feed),
    origin: {
      streamId: feedStreamId(item.feedId),
      title: feed === undefined ? '' : titleOrHost(feed.title, feed.url),
      htmlUrl: feed?.link ?? '',
    },
    enclosure: enclosuresOf(item),
  });
}

function categoriesOf(item: StreamItem, feed: FeedPlace | undefined): string[] {
  const folder = feed?.folder ?? null;
  const labels = [...(folder === null ? [] : [folder]), ...item.labels];
  return [
    stateId(READING_LIST),
    ...(item.unread ? [] : [stateId('read')]),
    ...(item.starred ? [stateId('starred')] : []),
    ...new Set(labels.map(labelId)),
    // A tag of a publisher that looks like one of these would make an item read.
    ...item.tags.filter((tag) => tag !== '' && !/^user\//i.test(tag)),
  ];
}

function enclosuresOf({ enclosures }: StreamItem) {
  return enclosures.length === 0
    ? undefined
    : enclosures.map(({ url, mime, length }) => ({
        href: url,
        type: mime ?? '',
        length: length ?? undefined,
      }));
}

function int32(seconds: number): number {
  return Math.max(0, Math.min(Math.trunc(seconds), LONGEST_INT32));
}
