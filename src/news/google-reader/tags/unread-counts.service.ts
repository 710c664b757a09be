import { Injectable } from '@nestjs/common';
import type { Reader } from '../../reader/delivery/reader-ids.repository.js';
import { FeedsService } from '../../reader/feeds/feeds.service.js';
import { FoldersService } from '../../reader/folders/folders.service.js';
import { LabelsService } from '../../reader/labels/labels.service.js';
import { SavedSearchesService } from '../../reader/search/saved-searches.service.js';
import { StreamsService } from '../../reader/streams/streams.service.js';
import { feedStreamId, labelId, READING_LIST, stateId } from '../stream-names.js';
import { StreamSetsService } from '../streams/stream-sets.service.js';

/** Unread items of a stream, and the arrival of its newest item. */
export interface UnreadCount {
  readonly stream: string;
  readonly count: number;
  /** Unix microseconds; 0 without items. */
  readonly newestMicros: number;
}

/** Counts of unread items by feed, folder, label, and of all; of saved searches up to 100. */
@Injectable()
export class UnreadCountsService {
  constructor(
    private readonly feeds: FeedsService,
    private readonly folders: FoldersService,
    private readonly labels: LabelsService,
    private readonly streams: StreamsService,
    private readonly sets: StreamSetsService,
    private readonly searches: SavedSearchesService,
  ) {}

  /** All, folders and labels, feeds. Starts a synchronisation: delivers first. */
  async list(reader: Reader): Promise<UnreadCount[]> {
    const { feeds } = await this.feeds.list(reader);
    // After the delivery.
    const [folders, labels, newest] = await Promise.all([
      this.folders.list(reader),
      this.labels.list(reader),
      this.streams.newestArrivals(reader),
    ]);
    const inFolders = new Map<number | null, UnreadCount[]>();
    const ofFeeds: UnreadCount[] = [];
    for (const { id, folderId, unreadCount: count } of feeds) {
      const ofFeed = { stream: feedStreamId(id), count, newestMicros: newest.get(id) ?? 0 };
      ofFeeds.push(ofFeed);
      const inFolder = inFolders.get(folderId);
      if (inFolder === undefined) {
        inFolders.set(folderId, [ofFeed]);
      } else {
        inFolder.push(ofFeed);
      }
    }
    const tags = new Map(
      folders.map(({ id, name }) => [name, sumOf(labelId(name), inFolders.get(id) ?? [])]),
    );
    for (const { name, unreadCount: count, newestArrivedMicros } of labels) {
      const ofLabel = { stream: labelId(name), count, newestMicros: newestArrivedMicros ?? 0 };
      const ofFolder = tags.get(name);
      tags.set(
        name,
        ofFolder === undefined ? ofLabel : await this.#ofBoth(reader, ofFolder, ofLabel),
      );
    }
    const all = sumOf(stateId(READING_LIST), ofFeeds);
    for (const { name, unreadCount: count } of await this.searches.inClients(reader)) {
      if (!tags.has(name)) {
        tags.set(name, { stream: labelId(name), count, newestMicros: all.newestMicros });
      }
    }
    return [all, ...tags.values(), ...ofFeeds];
  }

  /** Items of the folder can have the label of the same name: they count once. */
  async #ofBoth(reader: Reader, folder: UnreadCount, label: UnreadCount): Promise<UnreadCount> {
    const set = await this.sets.setOf(reader, folder.stream);
    const count = await this.streams.count(reader, {
      within: [set, { of: 'unread' }],
      without: [],
      fromMicros: null,
      toMicros: null,
    });
    const newestMicros = Math.max(folder.newestMicros, label.newestMicros);
    return { stream: folder.stream, count, newestMicros };
  }
}

function sumOf(stream: string, feeds: readonly UnreadCount[]): UnreadCount {
  let [count, newestMicros] = [0, 0];
  for (const feed of feeds) {
    count += feed.count;
    newestMicros = Math.max(newestMicros, feed.newestMicros);
  }
  return { stream, count, newestMicros };
}
