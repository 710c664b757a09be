import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { SubscriptionEntity } from '../../tables/subscription.entity.js';

export interface FeedOwner {
  readonly feedId: number;
  readonly userId: string;
}

/** Followers of sources across all users. */
@Injectable()
export class FollowersRepository {
  constructor(private readonly database: Database) {}

  /** Every feed of every user, by id. */
  async owners(): Promise<FeedOwner[]> {
    return this.database.query<FeedOwner>(
      `select s.subscription_id as "feedId", reader_user.user_id as "userId"
         from follower s join reader_user on reader_user.reader_id = s.reader_id
        where s.deleted_at is null
        order by s.subscription_id`,
    );
  }

  /** The feed that each of these readers has of a source. */
  async feedsOfSource(
    sourceId: number,
    readerIds: readonly number[],
  ): Promise<{ readonly readerId: number; readonly feedId: number }[]> {
    return this.database.query(
      `select reader_id as "readerId", subscription_id as "feedId" from follower
        where source_id = $1 and reader_id = any($2::bigint[]) and deleted_at is null`,
      [sourceId, readerIds],
    );
  }

  /** The source of a feed. Checks no owner: for administrators only. */
  async sourceOfFeed(feedId: number): Promise<number | null> {
    const feed = await this.database.entities((em) =>
      em.findOne(SubscriptionEntity, { id: feedId, deletedAt: null }, { fields: ['sourceId'] }),
    );
    return feed?.sourceId ?? null;
  }

  /** Number of followers of the source. */
  async countOf(sourceId: number): Promise<number> {
    return this.database.entities((em) =>
      em.count(SubscriptionEntity, { sourceId, deletedAt: null }),
    );
  }
}
