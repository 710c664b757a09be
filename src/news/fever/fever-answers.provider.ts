import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { sendStream } from '../../common/http/send-stream.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { FoldersService } from '../reader/folders/folders.service.js';
import type { Selector, WantedItems } from './fever.input.js';
import { FeverRepository } from './fever.repository.js';
import { FeverService } from './fever.service.js';
import {
  API_VERSION,
  toFaviconJson,
  toFeedJson,
  toFeedsGroupsJson,
  toGroupsJson,
  toItemJson,
} from './fever.wire.js';

/** The parts requested in one request. */
interface Wanted {
  /** Selectors to answer. */
  readonly selectors: ReadonlySet<Selector>;
  readonly items: WantedItems;
  /** Whether the request changed flags. */
  readonly hasMarked: boolean;
  /** Name of the group of feeds at the root. */
  readonly rootName: string;
}

type Pieces = AsyncGenerator<string, void, undefined>;

/** The answers of this API as JSON texts in pieces, since some lists are long. */
@Injectable()
export class FeverAnswers {
  constructor(
    private readonly fever: FeverRepository,
    private readonly foldersService: FoldersService,
    private readonly lists: FeverService,
  ) {}

  async *pieces(reader: Reader, wanted: Wanted): Pieces {
    const { selectors, items, hasMarked } = wanted;
    const latestFetch = await this.fever.latestFetchSeconds(reader.id);
    yield `{"api_version":${API_VERSION},"auth":1,"last_refreshed_on_time":${latestFetch}`;
    if (selectors.has('groups') || selectors.has('feeds')) {
      yield* this.#feeds(reader, wanted);
    }
    if (selectors.has('favicons')) {
      yield* listOf('favicons', this.fever.icons(reader.id), toFaviconJson);
    }
    if (selectors.has('items')) {
      // Readrops finds the items by their place, after the number.
      yield member('total_items', await this.lists.itemCount(reader));
      yield* listOf('items', await this.lists.page(reader, items), toItemJson);
    }
    if (selectors.has('links')) {
      yield member('links', []);
    }
    if (selectors.has('unread_item_ids')) {
      yield* idsOf('unread_item_ids', await this.lists.ids(reader, 'unread', !hasMarked));
    }
    if (selectors.has('saved_item_ids')) {
      yield* idsOf('saved_item_ids', await this.lists.ids(reader, 'starred', !hasMarked));
    }
    yield '}';
  }

  async *#feeds(reader: Reader, { selectors, rootName }: Wanted): Pieces {
    // First, since groups may give feeds with their folders.
    const folders = await this.foldersService.list(reader);
    const feeds = await this.fever.feeds(reader.id);
    if (selectors.has('groups')) {
      yield member('groups', toGroupsJson(folders, feeds, rootName));
    }
    if (selectors.has('feeds')) {
      const iconIds = await this.fever.iconIds(reader.id);
      const shown = feeds.map((feed) => toFeedJson(feed, iconIds));
      yield member('feeds', shown);
    }
    yield member('feeds_groups', toFeedsGroupsJson(feeds));
  }
}

function member(name: string, value: unknown): string {
  return `,"${name}":${JSON.stringify(value)}`;
}

async function* listOf<Row>(
  name: string,
  batches: AsyncIterable<readonly Row[]>,
  toJson: (row: Row) => object,
): Pieces {
  let separator = '';
  yield `,"${name}":[`;
  for await (const batch of batches) {
    for (const row of batch) {
      yield separator + JSON.stringify(toJson(row));
      separator = ',';
    }
  }
  yield ']';
}

/** One text with commas between the ids, and none at its end. */
async function* idsOf(name: string, batches: AsyncIterable<readonly number[]>): Pieces {
  let separator = '';
  yield `,"${name}":"`;
  for await (const batch of batches) {
    if (batch.length > 0) {
      yield separator + batch.join(',');
      separator = ',';
    }
  }
  yield '"';
}

const PIECE_CHARACTERS = 65_536;

/**
 * Streams a JSON text, which is not empty, while it is being made: memory is bounded, and a slow client
 * slows it down.
 *
 * The status is sent with the first 64 KiB, so most failures before are responses with a status; a
 * later one closes the connection.
 */
export async function sendPieces(response: Response, pieces: AsyncIterable<string>): Promise<void> {
  const larger = largerPieces(pieces);
  const first = await larger.next();
  if (first.done === true || response.destroyed) {
    await larger.return();
    return;
  }
  response.status(200).type('application/json; charset=utf-8');
  await sendStream(response, startingWith(first.value, larger));
}

async function* startingWith(
  first: string,
  rest: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  yield first;
  yield* rest;
}

async function* largerPieces(
  pieces: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length >= PIECE_CHARACTERS) {
      yield text;
      text = '';
    }
  }
  if (text !== '') {
    yield text;
  }
}
