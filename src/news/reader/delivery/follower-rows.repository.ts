import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../database/database.js';
import { Topology } from '../../../database/topology.js';

const COLUMNS =
  'subscription_id, reader_id, source_id, folder_id, url, title, fetch_every_hours, full_text, deleted_at';

/**
 * The followers of sources, beside the sources. On one server a view of subscriptions; where readers are
 * distributed, a table that follows each change of a reader in the same transaction.
 * @see docs/decisions/0072-readers-distributed.md
 */
@Injectable()
export class FollowerRowsRepository {
  constructor(private readonly topology: Topology) {}

  /** Called after a change of the reader's subscriptions, under its lock. */
  async follow(readerId: number, tx: SqlRunner): Promise<void> {
    if ((await this.topology.isDistributed(tx)) && (await this.#copy(readerId, tx))) {
      await this.commitTogether(tx);
    }
  }

  /**
   * Updates the followers of sources from the reader's subscriptions.
   * @returns whether that changed any
   */
  async #copy(readerId: number, tx: SqlRunner): Promise<boolean> {
    const removed = await tx.query(
      `with feed as materialized (select id from subscription where reader_id = $1)
       delete from follower where reader_id = $1 and subscription_id not in (select id from feed)
       returning 1`,
      [readerId],
    );
    const changed = await tx.query(
      `with feed as materialized (
         select id, reader_id, source_id, folder_id, url, title, fetch_every_hours, full_text, deleted_at
           from subscription where reader_id = $1
       )
       insert into follower as known (${COLUMNS}) select * from feed
       on conflict (subscription_id) do update
          set (${COLUMNS}) = (select excluded.*)
        where known.* is distinct from excluded.*
       returning 1`,
      [readerId],
    );
    const formerRemoved = await tx.query(
      `with former as materialized (
         select subscription_id, source_id from former_source where reader_id = $1
       )
       delete from former_follower where reader_id = $1
          and (subscription_id, source_id) not in (select subscription_id, source_id from former)
       returning 1`,
      [readerId],
    );
    const formerAdded = await tx.query(
      `with former as materialized (
         select subscription_id, reader_id, source_id from former_source where reader_id = $1
       )
       insert into former_follower (subscription_id, reader_id, source_id) select * from former
       on conflict do nothing
       returning 1`,
      [readerId],
    );
    return [removed, changed, formerRemoved, formerAdded].some((rows) => rows.length > 0);
  }

  /**
   * Makes this transaction commit in two phases, so that, if a worker is lost at that moment, both its rows
   * and the rows beside the sources are written, or neither. With one changed worker Citus commits there
   * first, and separately. It takes two phases for rows that are copied to a worker, which no row has to
   * be. Does nothing on one server.
   */
  async commitTogether(tx: SqlRunner): Promise<void> {
    if (!(await this.topology.isDistributed(tx))) {
      return;
    }
    await tx.query(
      `insert into reader_client (reader_id, client, synchronised_micros)
       select id, '', 0 from unnest('{}'::bigint[]) as none (id)`,
    );
  }
}
