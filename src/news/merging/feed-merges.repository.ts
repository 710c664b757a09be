import { Injectable } from '@nestjs/common';
import { Turns } from '../../common/turns.js';
import type { SqlRunner } from '../../database/database.js';
import { replaceLeaves } from '../query/bind-places.js';
import type { Query } from '../query/query.js';
import type { RuleScope } from '../tables/rule.entity.js';

/** A feed that may be merged. */
interface MergeableFeed {
  readonly id: number;
  /** The address that it is fetched from; null with headers of its own, which may get another document. */
  readonly place: string | null;
  /** Whether its publisher moved it there. */
  readonly hasMoved: boolean;
  /** The present and former ones. */
  readonly sourceIds: readonly number[];
}

/** Feeds to be merged, and what names them. Called under the lock of the reader. */
@Injectable()
export class FeedMergesRepository {
  /** Those of the reader, not marked for deletion. */
  async feeds(
    readerId: number,
    feedIds: readonly number[],
    tx: SqlRunner,
  ): Promise<MergeableFeed[]> {
    const rows = await tx.query<
      Omit<MergeableFeed, 'sourceIds'> & { readonly sourceIds: readonly string[] }
    >(
      `select s.id, s.source_ids as "sourceIds", source.effective_url is not null as "hasMoved",
              case when source.access is null then coalesce(source.effective_url, source.url) end as place
         from (select s.id, s.source_id,
                      s.source_id || array(select former.source_id from former_source former
                                            where former.reader_id = $1
                                              and former.subscription_id = s.id) as source_ids
                 from subscription s
                where s.reader_id = $1 and s.id = any($2::bigint[]) and s.deleted_at is null offset 0) s
         join source on source.id = s.source_id`,
      [readerId, feedIds],
    );
    return rows.map((row) => ({ ...row, sourceIds: row.sourceIds.map(Number) }));
  }

  /**
   * Lets rules, saved searches, automatic tasks and notices name another feed, and gives that the keyword filter
   * and the tasks unless it has its own.
   */
  async renameUses(readerId: number, fromId: number, toId: number, tx: SqlRunner): Promise<void> {
    for (const table of ['subscription_filter', 'automatic_choice']) {
      await tx.query(
        `update ${table} set subscription_id = $3
          where reader_id = $1 and subscription_id = $2
            and not exists (select 1 from ${table} own
                             where own.reader_id = $1 and own.subscription_id = $3)`,
        [readerId, fromId, toId],
      );
    }
    await tx.query('update notice set feed_id = $3 where reader_id = $1 and feed_id = $2', [
      readerId,
      fromId,
      toId,
    ]);
    const here = (id: number) => (id === fromId ? toId : id);
    const renamed = (query: Query | null) =>
      query &&
      replaceLeaves(query, (leaf) =>
        leaf.kind === 'place' && leaf.of === 'feed' && leaf.id === fromId
          ? { ...leaf, id: toId }
          : leaf,
      );
    const turns = new Turns();
    const searches = await tx.query<{ id: number; query: Query }>(
      'select id, query from saved_search where reader_id = $1',
      [readerId],
    );
    for (const { id, query } of searches) {
      await turns.take();
      const changed = JSON.stringify(renamed(query));
      if (changed !== JSON.stringify(query)) {
        await tx.query(
          'update saved_search set query = $3::jsonb where reader_id = $1 and id = $2',
          [readerId, id, changed],
        );
      }
    }
    const rules = await tx.query<{ id: number; scope: RuleScope; query: Query | null }>(
      'select id, scope, query from rule where reader_id = $1',
      [readerId],
    );
    for (const { id, scope, query } of rules) {
      await turns.take();
      const feedIds = [...new Set(scope.feedIds.map(here))];
      const exceptFeedIds = [...new Set(scope.exceptFeedIds.map(here))];
      const changed = [{ ...scope, feedIds, exceptFeedIds }, renamed(query)];
      if (JSON.stringify(changed) !== JSON.stringify([scope, query])) {
        await tx.query(
          'update rule set scope = $3::jsonb, query = $4::jsonb where reader_id = $1 and id = $2',
          [readerId, id, ...changed.map((part) => part && JSON.stringify(part))],
        );
      }
    }
  }
}
