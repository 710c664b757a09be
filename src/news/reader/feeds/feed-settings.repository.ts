import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { hastenWanted } from '../../sources/schedule/schedule.sql.js';
import { SourceEntity } from '../../tables/source.entity.js';
import { SubscriptionEntity } from '../../tables/subscription.entity.js';
import { carryEffects } from '../delivery/covered-effects.sql.js';
import { moveStamp } from '../delivery/kept-counts.sql.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { FIRST_WAIT_SECONDS, SubscriptionsRepository } from './subscriptions.repository.js';

const SUBSCRIPTION = selectList(SubscriptionEntity, 's', ['url', 'sourceId', 'fetchEveryHours']);
const SOURCE = selectList(SourceEntity, 'source', ['access', 'givenTo', 'itemRule', 'urlKey']);

const OF_ARTICLES = 'item.subscription_id = $3 and item.article_id = any($4::bigint[])';

/** Origin of a feed, and its fetch settings. */
export type FeedOrigin = RowOf<typeof SUBSCRIPTION> &
  RowOf<typeof SOURCE> & {
    /** Whether articles of the source are still to be delivered. */
    readonly isBehind: boolean;
    /** Whether only a group gives it, whose headers are not shown. */
    readonly isGiven: boolean;
    /** Sources that it had before. */
    readonly formerSources: number;
  };

/** The settings of one feed; absent ones keep their value. */
export interface FeedSettings {
  readonly fullText?: boolean | undefined;
  readonly pinned?: boolean | undefined;
  /** 0 no special order, 1 oldest first, 2 newest first. */
  readonly ordering?: number | undefined;
  /** 0 a changed article keeps its unread flag, 1 it becomes unread. */
  readonly updateMode?: number | undefined;
  /** Hours between fetches, 1 to 168; null follows the feed's rhythm. */
  readonly fetchEveryHours?: number | null | undefined;
}

/** Settings of a feed, and the address that it is fetched from. */
@Injectable()
export class FeedSettingsRepository {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionsRepository,
  ) {}

  /** Origin of one of the user's feeds; null without such a feed. */
  async originOf(
    readerId: number,
    feedId: number,
    tx: SqlRunner = this.database,
  ): Promise<FeedOrigin | null> {
    const [row] = await tx.query<FeedOrigin>(
      `select ${SUBSCRIPTION}, ${SOURCE}, source.rev > s.delivered_rev as "isBehind",
              not s.is_own as "isGiven",
              s.former_sources as "formerSources"
         from (select s.*, (select count(*)::int from former_source
                             where reader_id = $1 and subscription_id = $2) as former_sources
                 from subscription s
                where s.reader_id = $1 and s.id = $2 and s.deleted_at is null offset 0) s
         join source on source.id = s.source_id`,
      [readerId, feedId],
    );
    return row ?? null;
  }

  /** @throws FeedOfGroup */
  async assertNotGiven(readerId: number, feedId: number): Promise<void> {
    await this.subscriptions.assertNotGiven(readerId, feedId, this.database);
  }

  /**
   * Changes the address of a feed, which keeps its id, settings and items.
   *
   * @returns `taken` when the user has another feed of this source; `behind` when articles of the
   *   present source must be delivered first
   */
  async changeAddress(
    reader: LockedReader,
    feedId: number,
    found: { readonly sourceId: number; readonly url: string },
    tx: SqlRunner,
  ): Promise<'done' | 'taken' | 'behind'> {
    const others = await tx.query<{ isMarked: boolean }>(
      `select deleted_at is not null as "isMarked" from subscription
        where reader_id = $1 and source_id = $2 and id <> $3`,
      [reader.id, found.sourceId, feedId],
    );
    if (others.some(({ isMarked }) => !isMarked)) {
      return 'taken';
    }
    const current = await this.originOf(reader.id, feedId, tx);
    if (current?.sourceId === found.sourceId) {
      await tx.query('update subscription set url = $3 where reader_id = $1 and id = $2', [
        reader.id,
        feedId,
        found.url,
      ]);
      return 'done';
    }
    if (current?.isBehind === true) {
      return 'behind';
    }
    await this.subscriptions.removeMarked(reader.id, [found.sourceId], tx);
    await this.#moveToSource(reader, feedId, found, tx);
    await hastenWanted(tx, [found.sourceId], FIRST_WAIT_SECONDS);
    return 'done';
  }

  /**
   * Gives a feed another source, which the reader must not follow yet. The next delivery begins with the
   * source's list, and recognises articles that the feed has from former sources. Items leave the order of
   * articles, which differs between sources. Costs the items of the feed.
   */
  async #moveToSource(
    reader: LockedReader,
    feedId: number,
    { sourceId, url }: { readonly sourceId: number; readonly url: string },
    tx: SqlRunner,
  ): Promise<void> {
    await tx.query('delete from late_delivery where subscription_id = $1', [feedId]);
    const returned = await tx.query<{ articleId: number }>(
      `with had as materialized (
         select article_id from item where reader_id = $1 and subscription_id = $2
       )
       select had.article_id as "articleId"
         from had join article on article.id = had.article_id and article.source_id = $3`,
      [reader.id, feedId, sourceId],
    );
    await carryEffects(
      reader,
      OF_ARTICLES,
      [feedId, returned.map(({ articleId }) => articleId)],
      tx,
    );
    await tx.query(
      `with kept as (
         insert into former_source (reader_id, subscription_id, source_id, delivered_rev, started_rev)
         select $1, s.id, s.source_id, s.delivered_rev, s.started_rev from subscription s
          where s.reader_id = $1 and s.id = $2
            and (s.delivered_rev > 0
                 or exists (select 1 from item
                             where item.reader_id = $1 and item.subscription_id = s.id))
         on conflict (reader_id, subscription_id, source_id) do update
            set delivered_rev = greatest(former_source.delivered_rev, excluded.delivered_rev),
                started_rev = least(former_source.started_rev, excluded.started_rev)
       ), returned as (
         -- Changes that this source had meanwhile are not delivered, so all of its items count as changed.
         update item set late = true,
                         last_modified_micros = case when article_id = any($6::bigint[]) then $5
                                                     else last_modified_micros end
          where reader_id = $1 and subscription_id = $2
            and (not late or article_id = any($6::bigint[]))
         returning article_id = any($6::bigint[]) as differs
       ), moved as (
         update reader set ${moveStamp('$5')}
          where id = $1 and exists (select 1 from returned where differs)
       )
       update subscription
          set source_id = $3, url = $4, delivered_rev = -1, started_rev = null, start_unread = null
        where reader_id = $1 and id = $2`,
      [
        reader.id,
        feedId,
        sourceId,
        url,
        reader.stampMicros,
        returned.map(({ articleId }) => articleId),
      ],
    );
  }

  /** Changes settings, and stamps items that show another body afterwards. @returns false without such a feed */
  async change(
    reader: LockedReader,
    feedId: number,
    { fullText, pinned, ordering, updateMode, fetchEveryHours }: FeedSettings,
    tx: SqlRunner,
  ): Promise<boolean> {
    const [changed] = await tx.query<{ showsOtherBodies: boolean }>(
      `update subscription s
          set full_text = coalesce($3, s.full_text), pinned = coalesce($4, s.pinned),
              ordering = coalesce($5, s.ordering), update_mode = coalesce($6, s.update_mode),
              fetch_every_hours = case when $7 then $8 else s.fetch_every_hours end
         from subscription former
        where former.reader_id = $1 and former.id = $2
          and s.reader_id = $1 and s.id = $2 and s.deleted_at is null
       returning s.full_text <> former.full_text as "showsOtherBodies"`,
      [
        reader.id,
        feedId,
        fullText ?? null,
        pinned ?? null,
        ordering ?? null,
        updateMode ?? null,
        fetchEveryHours !== undefined,
        fetchEveryHours ?? null,
      ],
    );
    if (changed?.showsOtherBodies === true) {
      await this.#stampFullTextItems(reader, feedId, tx);
    }
    if (fetchEveryHours !== undefined) {
      const origin = await this.originOf(reader.id, feedId, tx);
      const seconds = (fetchEveryHours ?? 1) * 3600;
      await hastenWanted(tx, origin === null ? [] : [origin.sourceId], seconds);
    }
    return changed !== undefined;
  }

  async #stampFullTextItems(reader: LockedReader, feedId: number, tx: SqlRunner): Promise<void> {
    const articles = await tx.query<{ id: number }>(
      `select article.id
         from article
         join article_body body on body.source_id = article.source_id
                               and body.article_id = article.id
        where article.source_id = any($1::bigint[]) and article.full_text_rev is not null
          and body.full_text_html is not null`,
      [await this.subscriptions.sourcesOf(reader.id, [feedId], tx)],
    );
    if (articles.length === 0) {
      return;
    }
    await carryEffects(reader, OF_ARTICLES, [feedId, articles.map(({ id }) => id)], tx);
    await tx.query(
      `with changed as (
         update item set last_modified_micros = $2
          where reader_id = $1 and subscription_id = $3 and article_id = any($4::bigint[])
         returning 1)
       update reader set ${moveStamp('$2')} where id = $1 and exists (select 1 from changed)`,
      [reader.id, reader.stampMicros, feedId, articles.map(({ id }) => id)],
    );
  }
}
