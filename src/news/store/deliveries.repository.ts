import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';
import type { LockedReader } from './reader-locks.js';

/** Turns new and changed articles of sources into items of the users who follow them. */
@Injectable()
export class DeliveriesRepository {
  constructor(private readonly database: Database) {}

  /** Whether any source this reader follows moved on since the last delivery. Takes no lock. */
  async isPending(readerId: number): Promise<boolean> {
    const rows = await this.database.query(
      `select 1 from subscription s join source on source.id = s.source_id
        where s.reader_id = $1 and source.rev > s.delivered_rev and s.deleted_at is null
        limit 1`,
      [readerId],
    );
    return rows.length > 0;
  }

  /**
   * Delivers all that is pending. One statement and so one snapshot: each subscription's watermark
   * is the revision that this very snapshot saw, so nothing is skipped and nothing comes twice.
   *
   * Must run under the reader's lock, which `reader` is the proof of.
   */
  async deliver(tx: SqlRunner, reader: LockedReader): Promise<void> {
    await tx.query(
      `with pending as (
         select s.id as subscription_id, s.delivered_rev, source.id as source_id, source.rev
           from subscription s join source on source.id = s.source_id
          where s.reader_id = $1 and source.rev > s.delivered_rev and s.deleted_at is null
       ), fresh as (
         -- Articles of one source have ids in the order of its fetches, and within a fetch the
         -- publisher's newest entry has the highest; so items of a feed keep that order.
         select $2::bigint + row_number() over (order by article.id) - 1 as id,
                p.subscription_id, article.id as article_id
           from pending p
           join article on article.source_id = p.source_id and article.rev > p.delivered_rev
          where article.first_rev > p.delivered_rev
            -- A new subscription starts with what the publisher lists today, not with the archive.
            and (p.delivered_rev >= 0
                 or article.id in (select unnest(article_ids) from source_document
                                    where source_document.source_id = p.source_id))
       ), inserted as (
         insert into item (reader_id, id, subscription_id, article_id, last_modified_micros, unread)
         select $1, id, subscription_id, article_id, $3, true from fresh order by id
         returning id
       ), changed as (
         update item set last_modified_micros = $3
           from pending p
           join article on article.source_id = p.source_id and article.rev > p.delivered_rev
          where article.first_rev <= p.delivered_rev
            and item.subscription_id = p.subscription_id and item.article_id = article.id
         returning item.id
       ), marked as (
         update subscription set delivered_rev = p.rev
           from pending p where subscription.id = p.subscription_id
       )
       update reader
          set next_item_id = next_item_id + (select count(*) from inserted),
              last_modified_micros = $3
        where id = $1 and (exists (select from inserted) or exists (select from changed))`,
      [reader.id, reader.nextItemId, reader.stampMicros],
    );
  }
}
