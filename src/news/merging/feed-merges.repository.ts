import { Injectable } from '@nestjs/common';
import { Turns } from '../../common/turns.js';
import type { SqlRunner } from '../../database/database.js';
import { replaceLeaves } from '../query/bind-places.js';
import type { Query } from '../query/query.js';
import type { LockedReader } from '../reader/delivery/reader-locks.repository.js';
import type { RuleScope } from '../tables/rule.entity.js';

/** Two feeds to be merged, and what names them. Called under the lock of the reader. */
@Injectable()
export class FeedMergesRepository {
  /**
   * Lets rules, saved searches, automatic tasks and notices name another feed, and gives that the keyword filter
   * and the tasks unless it has its own.
   */
  async renameUses(
    { id: readerId, stampMicros }: LockedReader,
    fromId: number,
    toId: number,
    tx: SqlRunner,
  ): Promise<void> {
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
    const here = (ids: readonly number[]) => [
      ...new Set(ids.map((id) => (id === fromId ? toId : id))),
    ];
    const turns = new Turns();
    const uses = await tx.query<{
      readonly table: 'saved_search' | 'rule';
      readonly id: number;
      readonly query: Query | null;
      readonly scope: RuleScope | null;
    }>(
      `select 'saved_search' as "table", id, query, null as scope from saved_search where reader_id = $1
        union all
       select 'rule', id, query, scope from rule where reader_id = $1`,
      [readerId],
    );
    for (const { table, id, query, scope } of uses) {
      await turns.take();
      const renamed = {
        query:
          query &&
          replaceLeaves(query, (leaf) =>
            leaf.kind === 'place' && leaf.of === 'feed' && leaf.id === fromId
              ? { ...leaf, id: toId }
              : leaf,
          ),
        scope: scope && {
          ...scope,
          feedIds: here(scope.feedIds),
          exceptFeedIds: here(scope.exceptFeedIds),
        },
      };
      const [before, after] = [{ query, scope }, renamed].map((part) => JSON.stringify(part));
      if (before !== after) {
        await tx.query(
          `update ${table} set query = nullif($3::jsonb->'query', 'null')
                  ${scope === null ? '' : ", scope = $3::jsonb->'scope', changed_micros = $4"}
            where reader_id = $1 and id = $2`,
          [readerId, id, after, ...(scope === null ? [] : [stampMicros])],
        );
      }
    }
  }
}
