import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { notFound } from '../../../common/errors/domain-error.js';
import { assertBelowLimit } from '../../../common/errors/limit-reached.js';
import { HOUR_SECONDS } from '../../../common/units.js';
import type { SqlRunner } from '../../../database/database.js';
import { Regularly } from '../../../database/regularly.js';
import { ItemNotFound } from '../../news.errors.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import { UserPlacesRepository } from '../items/user-places.repository.js';
import type { Colour } from './colours.js';
import {
  HighlightsRepository,
  type Highlight,
  type HighlightOrder,
  type HighlightPlace,
  type ListedHighlight,
  type NewHighlight,
} from './highlights.repository.js';

class HighlightNotFound extends notFound((id: number) => `There is no highlight ${id}.`) {}

/** What a user changes; undefined keeps it. */
export interface HighlightChange {
  readonly note: string | null | undefined;
  readonly colour: Colour | undefined;
}

export type NamedHighlight = ListedHighlight & { readonly feedTitle: string };

const ROWS_PER_READ = 200;

/**
 * A user's highlights in items, and notes on them. They change no stamp of an item: no client's list shows
 * them. Items with any are kept by the clean-up as starred ones are.
 *
 * @see docs/decisions/0101-highlights.md
 */
@Injectable()
export class HighlightsService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly highlights: HighlightsRepository,
    private readonly places: UserPlacesRepository,
    private readonly config: Config,
  ) {}

  /** In the order of the text; the note of the item first. @throws ItemNotFound */
  async ofItem(reader: Reader, itemId: number): Promise<Highlight[]> {
    ItemNotFound.unless(await this.highlights.hasItem(reader.id, itemId), itemId);
    return this.highlights.ofItem(reader.id, itemId);
  }

  /** @param afterId exclusive, of newest first; null starts from the beginning @param limit null for all */
  async *list(
    reader: Reader,
    order: HighlightOrder,
    afterId: number | null,
    limit: number | null,
  ): AsyncGenerator<NamedHighlight[]> {
    const { feed } = await this.places.placesOf(reader.id);
    const titles = new Map(feed.map(({ id, name }) => [id, name]));
    let after: HighlightPlace | null =
      afterId === null ? null : { id: afterId, itemId: 0, position: 0 };
    for (let left = limit ?? Infinity; left > 0;) {
      const most = Math.min(left, ROWS_PER_READ);
      const rows: ListedHighlight[] = await this.highlights.page(reader.id, order, after, most);
      yield rows.map((row) => ({ ...row, feedTitle: titles.get(row.feedId) ?? '' }));
      after = rows.at(-1) ?? null;
      left = rows.length < most ? 0 : left - rows.length;
    }
  }

  /**
   * The same words again change their highlight, and a note the one of the item.
   *
   * @throws ItemNotFound @throws LimitReached
   */
  async create(reader: Reader, given: NewHighlight): Promise<Highlight> {
    const { itemId } = given;
    this.#assertLengths(given);
    return this.readers.change(reader, async (tx, { id: readerId }) => {
      ItemNotFound.unless(await this.highlights.hasItem(readerId, itemId, tx), itemId);
      let id = await this.highlights.same(readerId, given, tx);
      if (id === null) {
        await this.#assertRoomFor(readerId, itemId, tx);
        id = await this.highlights.create(readerId, given, tx);
      } else {
        await this.highlights.change(readerId, { ...given, id }, tx);
      }
      return HighlightNotFound.unless(await this.highlights.one(readerId, id, tx), id);
    });
  }

  /** @throws HighlightNotFound @throws LimitReached */
  async change(reader: Reader, id: number, change: HighlightChange): Promise<Highlight> {
    this.#assertLengths({ note: change.note ?? null });
    return this.readers.change(reader, async (tx, { id: readerId }) => {
      const found = HighlightNotFound.unless(await this.highlights.one(readerId, id, tx), id);
      const { note = found.note, colour = found.colour } = change;
      if (found.exact === '' && note === null) {
        await this.highlights.remove(readerId, found, tx);
        return { ...found, note };
      }
      await this.highlights.change(readerId, { id, note, colour }, tx);
      return HighlightNotFound.unless(await this.highlights.one(readerId, id, tx), id);
    });
  }

  /** @throws HighlightNotFound */
  async remove(reader: Reader, id: number): Promise<void> {
    await this.readers.change(reader, async (tx, { id: readerId }) => {
      const found = HighlightNotFound.unless(await this.highlights.one(readerId, id, tx), id);
      await this.highlights.remove(readerId, found, tx);
    });
  }

  @Regularly('news-highlights', HOUR_SECONDS)
  async removeOrphans(): Promise<void> {
    await this.highlights.removeOrphans();
  }

  async #assertRoomFor(readerId: number, itemId: number, tx: SqlRunner): Promise<void> {
    const { limits } = this.config;
    for (const [name, of] of [
      ['highlights-per-item', itemId],
      ['highlights-per-user', null],
    ] as const) {
      const count = await this.highlights.count(readerId, of, limits[name], tx);
      assertBelowLimit(this.config, name, count);
    }
  }

  #assertLengths({ exact = '', note }: Partial<Pick<Highlight, 'exact' | 'note'>>): void {
    assertBelowLimit(this.config, 'characters-per-highlight', exact.length, 0);
    assertBelowLimit(this.config, 'characters-per-note', note?.length ?? 0, 0);
  }
}
