import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { AttemptOutcome } from '../sources/history/fetch-history.repository.js';

/** Which of a user's feeds are meant. `folderId` null: those without a folder. */
export type FeedSelection =
  | { readonly of: 'everything' }
  | { readonly of: 'folder'; readonly folderId: number | null }
  | { readonly of: 'feed'; readonly feedId: number };

/** A feed that its user wants to have fetched now. */
export interface RefreshCandidate {
  readonly feedId: number;
  readonly sourceId: number;
  /** The user's or the publisher's; empty while nobody named it. */
  readonly title: string;
  readonly url: string;
  /** The last fetch is too short a time ago. */
  readonly isFresh: boolean;
  /** The publisher asked not to be called for a while (429), and that while is not over. */
  readonly isResting: boolean;
}

/** How the latest fetch of a source went. */
export interface FinishedFetch {
  readonly sourceId: number;
  readonly outcome: AttemptOutcome;
  readonly newItems: number;
  readonly message: string | null;
}

/** What a refresh that a user asked for has to know about feeds and their fetches. */
@Injectable()
export class RefreshesRepository {
  constructor(private readonly database: Database) {}

  /** The database's clock, for `finishedSince`. */
  async now(): Promise<string> {
    const [row] = await this.database.query<{ at: string }>('select clock_timestamp()::text as at');
    return row?.at ?? '';
  }

  /**
   * The user's feeds that are meant, those first that were not fetched for the longest time.
   *
   * @param freshSeconds how long after its last fetch a feed counts as fresh
   */
  async candidates(
    readerId: number,
    selection: FeedSelection,
    freshSeconds: number,
  ): Promise<RefreshCandidate[]> {
    return this.database.query<RefreshCandidate>(
      `select s.id as "feedId", s.source_id as "sourceId", s.url,
              coalesce(s.title, source.title) as title,
              coalesce(source.fetched_at > now() - make_interval(secs => $2), false) as "isFresh",
              coalesce(host.not_before > now(), false)
                or (schedule.due_at > now() and schedule.lease_token is null
                    and coalesce(latest.status = 429, false)) as "isResting"
         from subscription s
         join source on source.id = s.source_id
         join source_schedule schedule on schedule.source_id = source.id
         left join host_state host on host.host_key = schedule.host_key
         left join lateral (select status from fetch_attempt
                             where fetch_attempt.source_id = source.id
                             order by id desc limit 1) latest on true
        where s.reader_id = $1 and s.deleted_at is null
          and case $3::text when 'feed' then s.id = $4
                            when 'folder' then coalesce(s.folder_id, 0) = $4
                            else true end
        order by source.fetched_at nulls first, s.id`,
      [readerId, freshSeconds, selection.of, idOf(selection)],
    );
  }

  /** The latest fetches of these sources that were finished at or after a time. */
  async finishedSince(sourceIds: readonly number[], since: string): Promise<FinishedFetch[]> {
    return this.database.query<FinishedFetch>(
      `select distinct on (source_id) source_id as "sourceId", outcome, message,
              sum(new_items) over (partition by source_id)::int as "newItems"
         from fetch_attempt
        where source_id = any($1::bigint[]) and at >= $2::timestamptz
        order by source_id, id desc`,
      [sourceIds, since],
    );
  }
}

function idOf(selection: FeedSelection): number {
  switch (selection.of) {
    case 'feed':
      return selection.feedId;
    case 'folder':
      return selection.folderId ?? 0;
    default:
      return 0;
  }
}
