import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import type { SqlRunner } from '../../database/database.js';
import {
  HighlightsRepository,
  type NewHighlight,
} from '../reader/highlights/highlights.repository.js';
import { LabelsRepository } from '../reader/labels/labels.repository.js';
import type { ImportedRow } from './imported-row.js';

/** The limits that a file went beyond. */
export type LimitsReached = (
  limit:
    | 'labels-per-user'
    | 'labels-on-items-per-user'
    | 'labels-per-item'
    | 'highlights-per-user'
    | 'highlights-per-item',
  count: number,
) => void;

/** Labels, notes and highlights of files, as far as the limits of their user go. Called under the lock of the reader. */
@Injectable()
export class ImportNotes {
  constructor(
    private readonly config: Config,
    private readonly labels: LabelsRepository,
    private readonly highlights: HighlightsRepository,
  ) {}

  /** @param createdIds gets those of labels that are made @returns ids by name, of as many as there may be */
  async labelIds(
    readerId: number,
    names: readonly string[],
    createdIds: number[],
    tellLimit: LimitsReached,
    tx: SqlRunner,
  ): Promise<Map<string, number>> {
    const ids = await this.labels.idsByName(readerId, names, tx);
    const missing = names.filter((name) => !ids.has(name));
    if (missing.length > 0) {
      const most = this.config.limits['labels-per-user'];
      const room = most - (await this.labels.count(readerId, most, tx));
      const some = missing.slice(0, room);
      if (some.length < missing.length) {
        tellLimit('labels-per-user', missing.length - some.length);
      }
      const created = await this.labels.create(readerId, some, tx);
      some.forEach((name, place) => ids.set(name, created[place] ?? 0));
      createdIds.push(...created);
    }
    return ids;
  }

  /** How many more labels items may have. */
  async roomForLabels(readerId: number, tx: SqlRunner): Promise<number> {
    const most = this.config.limits['labels-on-items-per-user'];
    return most - (await this.labels.countOnItems(readerId, most, tx));
  }

  get mostLabelsOfItem(): number {
    return this.config.limits['labels-per-item'];
  }

  /**
   * Adds notes and highlights to items; an item that has a note keeps that one.
   *
   * @returns the ids of what was made, by item
   */
  async create(
    readerId: number,
    wanted: ReadonlyMap<number, readonly ImportedRow[]>,
    tellLimit: LimitsReached,
    tx: SqlRunner,
  ): Promise<Map<number, number[]>> {
    const created = new Map<number, number[]>();
    const { limits } = this.config;
    let room = Infinity;
    for (const [itemId, rows] of wanted) {
      const had = await this.highlights.ofItem(readerId, itemId, tx);
      const given = rows.flatMap((row) => this.#highlightsOf(itemId, row));
      const texts = new Set(had.map(({ exact }) => exact));
      const fresh = given.filter(({ exact }) => !texts.has(exact) && texts.add(exact));
      if (room === Infinity) {
        const most = limits['highlights-per-user'];
        room = most - (await this.highlights.count(readerId, null, most, tx));
      }
      const ofItem = Math.max(0, limits['highlights-per-item'] - had.length);
      const some = fresh.slice(0, Math.min(room, ofItem));
      if (some.length < fresh.length) {
        const limit = some.length < ofItem ? 'highlights-per-user' : 'highlights-per-item';
        tellLimit(limit, fresh.length - some.length);
      }
      room -= some.length;
      created.set(itemId, await this.highlights.createMany(readerId, some, tx));
    }
    return created;
  }

  #highlightsOf(itemId: number, { note, highlights }: ImportedRow): NewHighlight[] {
    const { limits } = this.config;
    const cut = (text: string) => text.slice(0, limits['characters-per-highlight']).toWellFormed();
    const noteOf = (text: string | null) =>
      text === null || text.trim() === ''
        ? null
        : text.trim().slice(0, limits['characters-per-note']).toWellFormed();
    const common = { itemId, prefix: '', suffix: '', colour: 'yellow' } as const;
    const ofItem = noteOf(note);
    return [
      ...(ofItem === null ? [] : [{ ...common, exact: '', position: -1, note: ofItem }]),
      ...highlights
        .filter(({ text }) => text.trim() !== '')
        // The place in the text is not known; this keeps their order.
        .map((one, position) => ({
          ...common,
          exact: cut(one.text.trim()),
          position,
          note: noteOf(one.note),
        })),
    ];
  }
}
