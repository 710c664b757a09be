import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Config } from '../../common/config/config.js';
import {
  AccountTransferParts,
  type TransferNotes,
  type TransferSource,
} from '../../common/ports/account-transfer.js';
import { sourceOf } from '../imports/import-feeds.service.js';
import type { ImportedRow } from '../imports/imported-row.js';
import { RowMatching } from '../imports/row-matching.service.js';
import { ReaderIdsRepository } from '../reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { COLOURS } from '../reader/highlights/colours.js';
import { HighlightsRepository } from '../reader/highlights/highlights.repository.js';

const InArchive = z.object({
  feed: z.string(),
  guid: z.string(),
  exact: z.string(),
  prefix: z.string(),
  suffix: z.string(),
  position: z.int(),
  colour: z.enum(COLOURS),
  note: z.string().nullable(),
});

const NOTHING = {
  url: null,
  title: null,
  body: null,
  author: null,
  publishedSeconds: null,
  savedSeconds: null,
  isRead: null,
  isStarred: false,
  labels: [],
  note: null,
  highlights: [],
  enclosure: null,
} satisfies Partial<ImportedRow>;

/** Takes in highlights and notes, of articles that are here. */
@Injectable()
export class HighlightsRestore {
  constructor(
    private readonly config: Config,
    private readonly ids: ReaderIdsRepository,
    private readonly readers: ReadersRepository,
    private readonly matching: RowMatching,
    private readonly highlights: HighlightsRepository,
    parts: AccountTransferParts,
  ) {
    parts.addImport((...given) => this.#takeIn(...given));
  }

  async #takeIn(
    userId: string,
    source: TransferSource,
    leaveOut: TransferNotes['leaveOut'],
  ): Promise<void> {
    const reader = await this.ids.of(userId);
    const feeds = await this.matching.feedsOf(reader.id);
    for await (const lines of source.lines('highlights.ndjson')) {
      const sought = lines.flatMap((line) => {
        const { data: highlight } = InArchive.safeParse(line);
        if (highlight === undefined) {
          return [];
        }
        const feed = { url: highlight.feed, siteUrl: null, title: null };
        const row = { ...NOTHING, feed, guid: { kind: 'plain', guid: highlight.guid } } as const;
        const ownKey = sourceOf(reader, 'gatefold', row).urlKey.toString('hex');
        return [{ row, ownKey, highlight }];
      });
      const items = await this.matching.match(reader.id, feeds, sought);
      if (items.size < sought.length) {
        leaveOut('some highlights and notes', 'Their articles are not here.');
      }
      await this.readers.change(reader, async (tx, { id }) => {
        const most = this.config.limits['highlights-per-user'];
        let room = most - (await this.highlights.count(id, null, most, tx));
        for (const [{ highlight }, itemId] of items) {
          const { feed: _feed, guid: _guid, ...given } = highlight;
          const isThere = (await this.highlights.same(id, { ...given, itemId }, tx)) !== null;
          if (!isThere && room > 0) {
            await this.highlights.create(id, { ...given, itemId }, tx);
          }
          if (!isThere && room === 0) {
            leaveOut('further highlights and notes', `There may be ${most} of a user.`);
          }
          room = isThere ? room : Math.max(0, room - 1);
        }
      });
    }
  }
}
