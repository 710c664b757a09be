import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import { IS_RESTING } from '../sources/schedule/schedule.sql.js';
import { FetchAttemptEntity } from '../tables/fetch-history.entity.js';

/** Feeds of a user. `folderId` null: feeds without a folder. */
export type FeedSelection =
  | { readonly of: 'everything' }
  | { readonly of: 'folder'; readonly folderId: number | null }
  | { readonly of: 'feed'; readonly feedId: number };

export interface RefreshCandidate {
  readonly feedId: number;
  readonly sourceId: number;
  /** The user's or the publisher's; may be empty. */
  readonly title: string;
  readonly url: string;
  /** Whether requests add the items, so that nothing is fetched. */
  readonly isGiven: boolean;
  /** It was fetched too recently. */
  readonly isFresh: boolean;
  /** Whether the publisher's requested pause continues. */
  readonly isResting: boolean;
}

const ATTEMPT_ROW = selectList(FetchAttemptEntity, 'attempt', ['sourceId', 'outcome', 'message']);

/** Result of the latest fetch of a source. */
export type FinishedFetch = RowOf<typeof ATTEMPT_ROW> & { readonly newItems: number };

/** Feeds to be refreshed, and the fetches of their sources. */
@Injectable()
export class RefreshesRepository {
  constructor(private readonly database: Database) {}

  /** The database's clock, as text with full precision, for `finishedSince`. */
  async now(): Promise<string> {
    const [row] = await this.database.query<{ at: string }>('select clock_timestamp()::text as at');
    return row?.at ?? '';
  }

  /**
   * The selected feeds of a user by the reader's subscriptions; least recently fetched first.
   *
   * @param freshSeconds how long after its last fetch a feed counts as fresh
   */
  async candidates(
    readerId: number,
    selection: FeedSelection,
    freshSeconds: number,
  ): Promise<RefreshCandidate[]> {
    const id =
      'feedId' in selection ? selection.feedId : 'folderId' in selection ? selection.folderId : 0;
    return this.database.query(
      `select s.id as "feedId", s.source_id as "sourceId", s.url,
             coalesce(s.title, source.title) as title, source.given_to is not null as "isGiven",
             coalesce(source.fetched_at > now() - make_interval(secs => $2), false) as "isFresh",
             ${IS_RESTING} as "isResting"
        from subscription s
        join source on source.id = s.source_id
        left join source_schedule schedule on schedule.source_id = source.id
        left join host_state host on host.host_key = schedule.host_key
       where s.reader_id = $1 and s.deleted_at is null
         and case $3::text when 'feed' then s.id = $4
                           when 'folder' then coalesce(s.folder_id, 0) = $4
                           else true end
       order by source.fetched_at nulls first, s.id`,
      [readerId, freshSeconds, selection.of, id ?? 0],
    );
  }

  /** The latest attempt of each source since a time, with the new items of all; by fetch_attempt_source_id_index. */
  async finishedSince(sourceIds: readonly number[], since: string): Promise<FinishedFetch[]> {
    return this.database.query(
      `select distinct on (source_id) ${ATTEMPT_ROW},
             sum(new_items) over (partition by source_id)::int as "newItems"
        from fetch_attempt attempt
       where source_id = any($1::bigint[]) and at >= $2::timestamptz
       order by source_id, id desc`,
      [sourceIds, since],
    );
  }
}
