import { Header, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiPost, Get } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { ReadsByPost } from '../../../common/auth/in-scope.decorator.js';
import type { Fields } from '../../../common/http/read-fields.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { streamList } from '../../http/json-list-stream.js';
import type { StreamItem, StreamPage } from '../../reader/streams/stream.js';
import { StreamsService } from '../../reader/streams/streams.service.js';
import { TakesTokenInForm } from '../http/google-login.guard.js';
import { GoogleReaderController } from '../http/google-reader-controller.decorator.js';
import { SentFields } from '../http/sent-fields.decorator.js';
import { decimalItemId, itemIdsOf } from '../item-ids.js';
import { READING_LIST, stateId } from '../stream-names.js';
import { pageOf } from './page-of.js';
import { streamItemJson, StreamIdsAnswer, StreamAnswer } from './stream-item.wire.js';
import { streamRequestOf, type StreamRequest } from './stream-request.input.js';
import { shownStream, streamInPath } from './shown-stream.js';
import type { FeedPlace } from './stream-sets.repository.js';
import { StreamSetsService } from './stream-sets.service.js';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { StreamFields, NamedItemFields } from '../http/form-fields.input.js';

const MOST_IDS = 1_000_000;
const MOST_CONTENTS = 50_000;

type Feeds = ReadonlyMap<number, FeedPlace>;

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
    @CurrentUser() { userId }: Account,
    @SentFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const request = streamRequestOf(fields, MOST_IDS);
    const selection = await this.sets.selectionOf(userId, request);
    const all = await this.streams.ids(userId, selection, oneMoreThan(request));
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
  @Header('Content-Type', 'text/plain; charset=utf-8')
  async count(@CurrentUser() { userId }: Account, @SentFields() fields: Fields): Promise<string> {
    const selection = await this.sets.selectionOf(userId, streamRequestOf(fields, 1));
    return String(await this.streams.count(userId, selection));
  }

  @Get('stream/items/contents', 'Sends named items.', StreamAnswer, { input: NamedItemFields })
  async namedByQuery(
    @CurrentUser() user: Account,
    @SentFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    await this.#sendNamed(user, fields, response);
  }

  @ApiPost('stream/items/contents', 'Sends named items.', StreamAnswer, { input: NamedItemFields })
  @ReadsByPost()
  @TakesTokenInForm()
  async named(
    @CurrentUser() user: Account,
    @SentFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    await this.#sendNamed(user, fields, response);
  }

  /** The stream is named in the path, escaped or not, or by `s`. */
  @Get(
    ['stream/contents', 'stream/contents/*stream'],
    'Sends the items of a stream.',
    StreamAnswer,
    { input: StreamFields },
  )
  async contents(
    @CurrentUser() { userId }: Account,
    @SentFields() fields: Fields,
    @Req() { path }: Request,
    @Res() response: Response,
  ): Promise<void> {
    const request = streamRequestOf(fields, MOST_CONTENTS, streamInPath(path, 'stream/contents'));
    const selection = await this.sets.selectionOf(userId, request);
    const all = await this.streams.contents(userId, selection, oneMoreThan(request));
    const feeds = await this.sets.feedPlaces(userId);
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

  /** Items that are not there are left out. */
  async #sendNamed({ userId }: Account, fields: Fields, response: Response): Promise<void> {
    const items = await this.streams.named(userId, itemIdsOf(fields.all('i')));
    const feeds = await this.sets.feedPlaces(userId);
    const head = { id: stateId(READING_LIST), updated: nowSeconds(response) };
    await sendItems(response, head, items, feeds, () => '');
  }
}

/** One item more tells whether any remain. */
function oneMoreThan({ oldestFirst, after, length }: StreamRequest): StreamPage {
  return { oldestFirst, after, limit: length + 1 };
}

/** A text, which clients require; left out at the end. */
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

/** Of the beginning of the request. */
function nowSeconds(response: Response): number {
  return Math.floor(Date.parse(String(response.getHeader('Date'))) / 1000);
}
