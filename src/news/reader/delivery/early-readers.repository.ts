import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { FollowerRowsRepository } from './follower-rows.repository.js';
import type { LockedReader } from './reader-locks.repository.js';

/** Why articles are delivered to a reader as they arrive. Apps that listen are a reason for everybody. */
export type EarlyReason = 'tells' | 'automates' | 'digests';

/** An early reader who follows a source. */
export interface EarlyFollower {
  readonly readerId: number;
  readonly userId: string;
  readonly subscriptionId: number;
  readonly folderId: number | null;
  /** Whether something else than its rules is a reason. */
  readonly isInAnyCase: boolean;
  /** See `EarlyReaderEntity`. */
  readonly rulesRev: number;
}

/** Readers to whom articles are delivered as they arrive. Everybody else costs nothing. */
@Injectable()
export class EarlyReadersRepository {
  constructor(
    private readonly database: Database,
    private readonly followers: FollowerRowsRepository,
  ) {}

  /**
   * Sets or clears a reason. To be called with each change of what the rules of a reader tell, which then
   * are read again.
   */
  async set(
    reader: LockedReader,
    reason: EarlyReason,
    isOn: boolean,
    tx: SqlRunner,
  ): Promise<void> {
    const [kept] = isOn
      ? await tx.query(
          `insert into early_reader as early (reader_id, user_id, ${reason}, rules_rev)
           select reader_id, user_id, true, $2 from reader_user where reader_id = $1
           on conflict (reader_id) do update
              set ${reason} = true, rules_rev = excluded.rules_rev returning 1`,
          [reader.id, reader.stampMicros],
        )
      : await tx.query(
          `update early_reader set ${reason} = false, rules_rev = $2 where reader_id = $1 returning 1`,
          [reader.id, reader.stampMicros],
        );
    const [gone] = isOn
      ? []
      : await tx.query(
          `delete from early_reader
            where reader_id = $1 and not (tells or automates or digests) returning 1`,
          [reader.id],
        );
    await tx.query('update reader set is_early = $2 where id = $1 and is_early <> $2', [
      reader.id,
      kept !== undefined && gone === undefined,
    ]);
    await this.followers.commitTogether(tx);
  }

  /**
   * Early readers who follow a source, by reader id.
   *
   * @param afterId the last id of the former page
   */
  async followersOf(sourceId: number, afterId: number, limit: number): Promise<EarlyFollower[]> {
    return this.database.query<EarlyFollower>(
      `select follower.reader_id as "readerId", reader_user.user_id as "userId",
              follower.subscription_id as "subscriptionId", follower.folder_id as "folderId",
              early.reader_id is null or early.automates or early.digests
                or exists (select from apps_listening) as "isInAnyCase",
              coalesce(early.rules_rev, 0) as "rulesRev"
         from follower
         join reader_user on reader_user.reader_id = follower.reader_id
         left join early_reader early on early.reader_id = follower.reader_id
        where follower.source_id = $1 and follower.deleted_at is null and follower.reader_id > $2
          and (early.reader_id is not null or exists (select from apps_listening))
        order by follower.reader_id limit $3`,
      [sourceId, afterId, limit],
    );
  }
}
