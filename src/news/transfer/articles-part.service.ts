import { Injectable } from '@nestjs/common';
import {
  AccountTransferParts,
  jsonEntry,
  linesEntry,
  type TransferEntry,
  type TransferNotes,
  type TransferWish,
} from '../../common/ports/account-transfer.js';
import { DeliveryService } from '../reader/delivery/delivery.service.js';
import {
  NO_READER,
  ReaderIdsRepository,
  type Reader,
} from '../reader/delivery/reader-ids.repository.js';
import { LabelsService } from '../reader/labels/labels.service.js';
import { StreamsService } from '../reader/streams/streams.service.js';
import { withoutCredentials } from '../sources/shown-address.js';
import { readerJson } from './reader-json.js';
import {
  TransferredItemsRepository,
  type ItemFile,
  type TransferredFeed,
} from './transferred-items.repository.js';

/** Names of feeds by their ids, as the files have them. */
interface Feeds {
  readonly byId: ReadonlyMap<number, TransferredFeed>;
  readonly urlOf: (feedId: number) => string;
}

/** Articles of a user in the archive of their account: what they starred, labelled, kept, read and wrote about. */
@Injectable()
export class ArticlesPart {
  constructor(
    private readonly ids: ReaderIdsRepository,
    private readonly delivery: DeliveryService,
    private readonly streams: StreamsService,
    private readonly labels: LabelsService,
    private readonly items: TransferredItemsRepository,
    parts: AccountTransferParts,
  ) {
    parts.addExport((wish, notes) => this.#entries(wish, notes));
  }

  async *#entries(
    { userId, withSecrets }: TransferWish,
    notes: TransferNotes,
  ): AsyncGenerator<TransferEntry> {
    const reader = await this.ids.of(userId);
    if (reader.id === NO_READER) {
      return;
    }
    await this.delivery.deliverTo(reader, true);
    const feeds = await this.#feedsOf(reader, withSecrets);
    for (const file of ['starred', 'labelled', 'saved'] as const) {
      yield { path: `${file}.json`, open: () => this.#articles(reader, file, feeds, notes) };
    }
    yield linesEntry('read.ndjson', () => this.#states(reader, feeds, notes));
    yield jsonEntry('labels.json', async () => {
      const labels = await this.labels.list(reader);
      notes.count('labels', labels.length);
      return labels.map(({ name }) => name);
    });
    yield linesEntry('highlights.ndjson', () => this.#highlights(reader, feeds, notes));
    notes.leaveOut(
      'texts of other articles',
      'Feeds have them; only of articles with a star, a label or a highlight, and of pages that you kept, are the texts here.',
    );
    notes.leaveOut('translations, summaries and places in recordings', 'They can be made again.');
  }

  async #feedsOf({ id }: Reader, withSecrets: boolean): Promise<Feeds> {
    const feeds = await this.items.feeds(id);
    const byId = new Map(feeds.map((feed) => [feed.id, feed]));
    const urlOf = (feedId: number) => {
      const url = byId.get(feedId)?.url ?? '';
      return withSecrets ? url : withoutCredentials(url);
    };
    return { byId, urlOf };
  }

  async *#articles(
    reader: Reader,
    file: ItemFile,
    { byId, urlOf }: Feeds,
    notes: TransferNotes,
  ): AsyncGenerator<string> {
    yield `{"id":"user/-/state/com.google/${file}","title":"${file}","items":[\n`;
    let isFirst = true;
    for await (const ids of this.items.ids(reader.id, file)) {
      for await (const items of await this.streams.named(reader, ids)) {
        const texts = items.flatMap((item) => {
          const feed = byId.get(item.feedId);
          return feed ? [JSON.stringify(readerJson(item, feed, urlOf(feed.id)))] : [];
        });
        notes.count(`${file} articles`, texts.length);
        yield (isFirst ? '' : ',\n') + texts.join(',\n');
        isFirst &&= texts.length === 0;
      }
    }
    yield '\n]}\n';
  }

  async *#states(
    { id }: Reader,
    { urlOf }: Feeds,
    notes: TransferNotes,
  ): AsyncGenerator<readonly object[]> {
    for await (const states of this.items.states(id)) {
      notes.count('read states', states.length);
      yield states.map(({ feedId, guid, unread }) => ({ feed: urlOf(feedId), guid, unread }));
    }
  }

  async *#highlights(
    { id }: Reader,
    { urlOf }: Feeds,
    notes: TransferNotes,
  ): AsyncGenerator<readonly object[]> {
    for await (const highlights of this.items.highlights(id)) {
      notes.count('highlights and notes', highlights.length);
      yield highlights.map(({ id: _id, feedId, guid, ...highlight }) => ({
        feed: urlOf(feedId),
        guid,
        ...highlight,
      }));
    }
  }
}
