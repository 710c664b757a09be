import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { KeywordFilter, type FilterKeywords } from './filter-keywords.js';
import {
  clearFiltered,
  listFilterable,
  listFiltered,
  listFilters,
  markFiltered,
  readCandidateTexts,
  saveFilter,
  type FilterCandidate,
} from './filters.sql.js';
import { SubscriptionFilterEntity } from './subscription-filter.entity.js';

/** The filter of a feed. */
export type Filter = Pick<SubscriptionFilterEntity, 'id'> & FilterKeywords;

/** Few enough that their bodies take little memory. */
const CANDIDATES_PER_READ = 50;

/**
 * Filters of subscriptions, and their effect on items: an item that matches is read and `filtered`.
 * Writes run under the reader's lock, so a delivery and a change of the filter exclude each other.
 */
@Injectable()
export class FiltersRepository {
  constructor(private readonly database: Database) {}

  /** @param tx to read in a transaction */
  async find(readerId: number, feedId: number, tx?: Transaction): Promise<Filter | null> {
    const where = { readerId, subscriptionId: feedId };
    return tx === undefined
      ? this.database.entities((em) => em.findOne(SubscriptionFilterEntity, where))
      : tx.em.findOne(SubscriptionFilterEntity, where, { disableIdentityMap: true });
  }

  /** Creates or replaces the filter, and applies it to items that are unread or were filtered. */
  async save(
    tx: Transaction,
    reader: LockedReader,
    feedId: number,
    keywords: FilterKeywords,
  ): Promise<void> {
    await saveFilter(tx, reader.id, feedId, keywords);
    const candidates = await listFilterable(tx, reader.id, feedId);
    const { matching, others } = await sort(tx, reader.id, candidates);
    await markFiltered(tx, reader, matching);
    await clearFiltered(tx, reader, others, false);
  }

  /** Removes the filter. Items that it marked stay read and are no longer `filtered`. */
  async remove(tx: Transaction, reader: LockedReader, feedId: number): Promise<void> {
    await tx.em.nativeDelete(SubscriptionFilterEntity, {
      readerId: reader.id,
      subscriptionId: feedId,
    });
    await clearFiltered(tx, reader, await listFiltered(tx, reader.id, feedId), false);
  }
}

/**
 * Applies filters to items that were just delivered, new or changed. Must run in the transaction of
 * the delivery, so that no client sees an item before its filter did.
 */
export async function filterDelivered(
  tx: SqlRunner,
  reader: LockedReader,
  delivered: readonly FilterCandidate[],
): Promise<void> {
  if (delivered.length === 0) {
    return;
  }
  const { matching, others } = await sort(tx, reader.id, delivered);
  await markFiltered(tx, reader, matching);
  await clearFiltered(tx, reader, others, true);
}

/** @returns item ids by whether the filter of their feed matches */
async function sort(
  tx: SqlRunner,
  readerId: number,
  candidates: readonly FilterCandidate[],
): Promise<{ matching: number[]; others: number[] }> {
  const feedIds = [...new Set(candidates.map(({ subscriptionId }) => subscriptionId))];
  const rows = await listFilters(tx, readerId, feedIds);
  const filters = new Map(
    rows.map(({ showsFullText, ...row }) => [
      row.subscriptionId,
      { keywords: new KeywordFilter(row), showsFullText },
    ]),
  );
  const sourceIds = [...new Set(rows.flatMap((row) => row.sourceIds))];
  const matching: number[] = [];
  const others: number[] = [];
  for (let from = 0; from < candidates.length; from += CANDIDATES_PER_READ) {
    const batch = candidates.slice(from, from + CANDIDATES_PER_READ).map((candidate) => {
      const filter = filters.get(candidate.subscriptionId);
      return {
        candidate,
        withBody: filter?.keywords.looksAtBodies === true,
        showsFullText: filter?.showsFullText === true,
      };
    });
    const texts = await readCandidateTexts(tx, batch, sourceIds);
    for (const { itemId, subscriptionId, ...article } of texts) {
      const isMatch = filters.get(subscriptionId)?.keywords.matches(article) === true;
      (isMatch ? matching : others).push(itemId);
    }
  }
  return { matching, others };
}
