import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import { SourceEntity } from '../tables/source.entity.js';
import { SubscriptionEntity, SubscriptionFilterEntity } from '../tables/subscription.entity.js';

const SETTINGS = selectList(SubscriptionEntity, 's', [
  'ordering',
  'pinned',
  'fullText',
  'updateMode',
  'fetchEveryHours',
  'alwaysShown',
]);
const FETCHING = selectList(SourceEntity, 'source', ['itemRule', 'access']);
const FILTER = selectList(SubscriptionFilterEntity, 'filter', [
  'titleKeywords',
  'bodyKeywords',
  'urlKeywords',
]);

/** What the user set for a feed. */
export type FeedSettingsRow = RowOf<typeof SETTINGS> &
  RowOf<typeof FETCHING> & {
    readonly [Name in keyof RowOf<typeof FILTER>]: string | null;
  } & { readonly ownTitle: string | null };

/** A feed with its folder, or an empty folder: then the rest is null. */
export interface ExportedFeed extends FeedSettingsRow {
  readonly folderId: number | null;
  readonly folderName: string | null;
  readonly url: string | null;
  readonly title: string | null;
  readonly link: string | null;
  /** Whether only a group gives it, and how. */
  readonly given: 'mandatory' | 'recommended' | null;
}

/** How many of a user's feeds were fetched at least once, and how many failed last time. */
export interface FetchProgress {
  readonly feeds: number;
  readonly fetched: number;
  readonly failing: number;
}

/** A feed whose last fetch failed. */
export interface FailingFeed {
  readonly feedId: number;
  /** The user's or the publisher's; may be empty. */
  readonly title: string;
  readonly url: string;
  readonly reason: string;
}

const FEEDS_AT_A_TIME = 200;

/** Contents of an export, and progress of the first fetches of an import. */
@Injectable()
export class OpmlRepository {
  constructor(private readonly database: Database) {}

  /**
   * A user's feeds: feeds without a folder first, then folder by folder, empty ones included. Excludes
   * feeds of added items, which have no address to subscribe to.
   */
  async *export(readerId: number): AsyncGenerator<ExportedFeed[]> {
    const feeds = await this.database.query<ExportedFeed>(
      `select place.id as "folderId", place.name as "folderName", s.url,
              coalesce(s.title, source.title) as title, source.link, s.title as "ownTitle",
              case when s.is_own then null when s.is_mandatory then 'mandatory'
                   when s.group_feed_id is not null then 'recommended' end as given,
              ${SETTINGS}, ${FETCHING}, ${FILTER}
         from (select null::bigint as id, null::text as name
               union all
               select id, name from folder where reader_id = $1 and deleted_at is null) place
         left join (subscription s join source on source.id = s.source_id)
                on coalesce(s.folder_id, 0) = coalesce(place.id, 0)
               and s.reader_id = $1 and s.deleted_at is null and source.given_to is null
         left join subscription_filter filter on filter.reader_id = $1 and filter.subscription_id = s.id
        order by place.id is not null, lower(place.name), place.id,
                 lower(coalesce(s.title, source.title)), s.id`,
      [readerId],
    );
    for (let at = 0; at < feeds.length; at += FEEDS_AT_A_TIME) {
      yield feeds.slice(at, at + FEEDS_AT_A_TIME);
    }
  }

  /** Whether groups give any of a user's feeds. */
  async hasGiven(readerId: number): Promise<boolean> {
    const rows = await this.database.query(
      `select 1 as one from subscription
        where reader_id = $1 and deleted_at is null and group_feed_id is not null limit 1`,
      [readerId],
    );
    return rows.length > 0;
  }

  /** 0 without feeds; marked ones count. Later feeds get higher ids. */
  async newestFeedId(readerId: number): Promise<number> {
    const [newest] = await this.database.query<{ id: number }>(
      'select coalesce(max(id), 0) as id from subscription where reader_id = $1',
      [readerId],
    );
    return newest?.id ?? 0;
  }

  /** @param afterFeedId counts only feeds with a higher id */
  async fetchProgress(readerId: number, afterFeedId: number): Promise<FetchProgress> {
    const [progress] = await this.database.query<FetchProgress>(
      `select count(*)::int as feeds, count(source.fetched_at)::int as fetched,
              count(*) filter (where source.error_count > 0)::int as failing
         from subscription s join source on source.id = s.source_id
        where s.reader_id = $1 and s.id > $2 and s.deleted_at is null`,
      [readerId, afterFeedId],
    );
    return progress ?? { feeds: 0, fetched: 0, failing: 0 };
  }

  /** Sorted by age of the subscription. @param afterFeedId only feeds with a higher id */
  async failing(readerId: number, afterFeedId: number, limit: number): Promise<FailingFeed[]> {
    return this.database.query<FailingFeed>(
      `select s.id as "feedId", coalesce(s.title, source.title) as title, s.url,
              coalesce(source.last_error, '') as reason
         from subscription s join source on source.id = s.source_id
        where s.reader_id = $1 and s.id > $2 and s.deleted_at is null and source.error_count > 0
        order by s.id limit $3`,
      [readerId, afterFeedId, limit],
    );
  }
}
