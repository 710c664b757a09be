import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { ReaderIds } from '../delivery/reader-ids.repository.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { LabelEntity } from './label.entity.js';
import {
  changeItemLabels,
  countLabels,
  countLabelsOnItems,
  findLabelsByName,
  insertLabels,
  listLabels,
  mostLabelsOfItem,
  moveItemsOfLabel,
  stampItemsOfLabel,
  type LabelRow,
} from './labels.sql.js';

export type Label = LabelRow;

/** A user's labels and the items that have them. Every change stamps the items whose labels changed. */
@Injectable()
export class LabelsRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: ReaderIds,
  ) {}

  /** By name. */
  async list(userId: string): Promise<Label[]> {
    const readerId = await this.ids.of(userId);
    return readerId === null ? [] : listLabels(this.database, readerId);
  }

  /** Counts no further than `most`. */
  readonly count = countLabels;
  /** Items count once for each of their labels. Counts no further than `most`. */
  readonly countOnItems = countLabelsOnItems;

  /** @returns the name, or null when the reader has no such label */
  async nameOf(tx: Transaction, readerId: number, labelId: number): Promise<string | null> {
    const label = await tx.em.findOne(
      LabelEntity,
      { id: labelId, readerId },
      { fields: ['name'], disableIdentityMap: true },
    );
    return label?.name ?? null;
  }

  /** @returns ids by name; names that no label has are left out */
  async idsByName(
    tx: SqlRunner,
    readerId: number,
    names: readonly string[],
  ): Promise<Map<string, number>> {
    const labels = await findLabelsByName(tx, readerId, names);
    return new Map(labels.map(({ id, name }) => [name, id]));
  }

  /** @param names that no label has, each once */
  async create(tx: SqlRunner, readerId: number, names: readonly string[]): Promise<number[]> {
    return names.length === 0 ? [] : insertLabels(tx, readerId, names);
  }

  /** Unknown items and those of others are left out. @returns the other items, changed or not */
  readonly changeItems = changeItemLabels;
  /** The labels of the item with most of them. */
  readonly mostOfItem = mostLabelsOfItem;

  async rename(
    tx: Transaction,
    reader: LockedReader,
    labelId: number,
    name: string,
  ): Promise<void> {
    await tx.em.nativeUpdate(LabelEntity, { id: labelId, readerId: reader.id }, { name });
    await stampItemsOfLabel(tx, reader, labelId);
  }

  /** Gives the items of a label to another one, and removes it. */
  async merge(
    tx: Transaction,
    reader: LockedReader,
    labelId: number,
    intoId: number,
  ): Promise<void> {
    await moveItemsOfLabel(tx, reader, labelId, intoId);
    await tx.em.nativeDelete(LabelEntity, { id: labelId, readerId: reader.id });
  }

  /** @returns the ids of the items that had it, rising */
  async remove(tx: Transaction, reader: LockedReader, labelId: number): Promise<number[]> {
    const itemIds = await stampItemsOfLabel(tx, reader, labelId);
    await tx.em.nativeDelete(LabelEntity, { id: labelId, readerId: reader.id });
    return itemIds;
  }
}
