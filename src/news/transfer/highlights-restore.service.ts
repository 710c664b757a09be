import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Config } from '../../common/config/config.js';
import { LimitReached } from '../../common/errors/limit-reached.js';
import {
  AccountTransferParts,
  type TransferNotes,
  type TransferSource,
} from '../../common/ports/account-transfer.js';
import type { SqlRunner } from '../../database/database.js';
import { sourceOf } from '../imports/import-feeds.service.js';
import type { ImportedRow } from '../imports/imported-row.js';
import { RowMatching } from '../imports/row-matching.service.js';
import { ReaderIdsRepository } from '../reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { COLOURS } from '../reader/highlights/colours.js';
import { HighlightsRepository } from '../reader/highlights/highlights.repository.js';
import { CONTEXT_CHARACTERS, NOTE_OF_ITEM } from '../reader/highlights/new-highlight.js';

/** PostgreSQL stores no null character. */
const text = z.string().transform((given) => given.replaceAll('\0', '').toWellFormed());

/** As `POST items/…/highlights` takes it. */
const InArchive = z
  .object({
    feed: text,
    guid: text,
    exact: text.transform((given) => (given.trim() === '' ? '' : given)),
    prefix: text.transform((given) => given.slice(-CONTEXT_CHARACTERS).toWellFormed()),
    suffix: text.transform((given) => given.slice(0, CONTEXT_CHARACTERS).toWellFormed()),
    position: z.int32(),
    colour: z.enum(COLOURS),
    note: text.nullable().transform((given) => given?.trim() || null),
  })
  .refine(({ exact, note }) => exact !== '' || note !== null)
  .transform((given) => ({ ...given, ...(given.exact === '' && NOTE_OF_ITEM) }));

type GivenHighlight = Omit<z.infer<typeof InArchive>, 'feed' | 'guid'>;

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
        let room = await this.#roomFor(id, null, tx);
        for (const [{ highlight }, itemId] of items) {
          const { feed: _feed, guid: _guid, ...given } = highlight;
          const wanted = { ...this.#cut(given, leaveOut), itemId };
          if ((await this.highlights.same(id, wanted, tx)) !== null) {
            continue;
          }
          const isRoomInItem = room > 0 && (await this.#roomFor(id, itemId, tx)) > 0;
          if (isRoomInItem) {
            await this.highlights.create(id, wanted, tx);
            room -= 1;
          } else {
            const limit = room > 0 ? 'highlights-per-item' : 'highlights-per-user';
            const most = this.config.limits[limit];
            const { message } = new LimitReached(most, limit.replaceAll('-', ' '));
            leaveOut('further highlights and notes', message);
          }
        }
      });
    }
  }

  #cut(given: GivenHighlight, leaveOut: TransferNotes['leaveOut']): GivenHighlight {
    const { limits } = this.config;
    const cut = (whole: string, limit: 'characters-per-highlight' | 'characters-per-note') => {
      if (whole.length > limits[limit]) {
        leaveOut('ends of highlights and notes', 'They were longer than this installation allows.');
      }
      return whole.slice(0, limits[limit]).toWellFormed();
    };
    return {
      ...given,
      exact: cut(given.exact, 'characters-per-highlight'),
      note: given.note === null ? null : cut(given.note, 'characters-per-note'),
    };
  }

  /** How many more there may be. @param itemId of one item; null for all */
  async #roomFor(readerId: number, itemId: number | null, tx: SqlRunner): Promise<number> {
    const most =
      this.config.limits[itemId === null ? 'highlights-per-user' : 'highlights-per-item'];
    return most - (await this.highlights.count(readerId, itemId, most, tx));
  }
}
