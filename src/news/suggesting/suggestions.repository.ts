import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';

interface OwnFeed {
  readonly feedId: number;
  readonly title: string;
  readonly url: string;
  readonly link: string | null;
}

interface FollowedSource {
  readonly url: string;
  /** Where its publisher moved it; null if nowhere. */
  readonly movedTo: string | null;
  readonly title: string;
  readonly link: string | null;
  readonly followers: number;
}

/** Failures in a row after which a feed is not suggested. */
const MOST_FAILURES = 5;

/** Feeds that are suggested to readers. */
@Injectable()
export class SuggestionsRepository {
  constructor(private readonly database: Database) {}

  /** The reader's feeds; those with very long addresses are left out. */
  async own(readerId: number): Promise<OwnFeed[]> {
    return this.database.query<OwnFeed>(
      `select s.id as "feedId", left(coalesce(s.title, source.title), 200) as title, s.url,
              left(source.link, 500) as link
         from subscription s join source on source.id = s.source_id
        where s.reader_id = $1 and s.deleted_at is null and octet_length(s.url) <= 2000`,
      [readerId],
    );
  }

  /**
   * Working sources without headers of their own that at least so many accounts follow, those that most
   * follow first. Reads all followers: 0.3 s per million. Their addresses may still have secrets in them.
   */
  async followed(atLeast: number, most: number): Promise<FollowedSource[]> {
    return this.database.query<FollowedSource>(
      `select source.url, source.effective_url as "movedTo", left(source.title, 200) as title,
              left(source.link, 500) as link, liked.followers
         from (select source_id, count(*)::int as followers from follower
                where deleted_at is null group by source_id having count(*) >= $1) liked
         join source on source.id = liked.source_id
        where source.given_to is null and source.access is null and source.item_rule = 'automatic'
          and source.fetched_at is not null and source.gone_at is null and source.title <> ''
          and source.error_count < ${MOST_FAILURES} and source.url like 'https://%'
        order by liked.followers desc, source.id limit $2`,
      [atLeast, most],
    );
  }
}
