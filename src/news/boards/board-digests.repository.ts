import { Injectable } from '@nestjs/common';
import { RestoreHooks } from '../../common/ports/hooks.js';
import { Database, type SqlRunner } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import { BoardDigestEntity } from '../tables/board.entity.js';
import { newestEntryOf } from './board-webhooks.repository.js';

const DIGEST = selectList(BoardDigestEntity, 'digest', [
  'boardId',
  'at',
  'timeZone',
  'toldEntryId',
]);

type DueDigest = RowOf<typeof DIGEST> & { readonly newestEntryId: number };

/** A member who gets a digest, and of what. */
interface DigestRecipient {
  readonly userId: string;
  readonly boardName: string;
  readonly groupName: string;
}

/** Digests of boards: when they are sent, how far they told, and who wants none. */
@Injectable()
export class BoardDigestsRepository {
  constructor(
    private readonly database: Database,
    restoreHooks: RestoreHooks,
  ) {
    // What waited in the backup has been sent since.
    restoreHooks.add(async () => {
      await database.query(
        `update board_digest digest set told_entry_id = ${newestEntryOf('digest.board_id')}`,
      );
    });
  }

  /** A new one begins with what is added from then on. */
  async save(boardId: number, at: string, timeZone: string, nextAt: Date): Promise<void> {
    await this.database.query(
      `insert into board_digest (board_id, at, time_zone, next_at, told_entry_id)
       values ($1, $2, $3, $4, ${newestEntryOf('$1')})
       on conflict (board_id) do update
          set at = excluded.at, time_zone = excluded.time_zone, next_at = excluded.next_at`,
      [boardId, at, timeZone, nextAt],
    );
  }

  async remove(boardId: number): Promise<void> {
    await this.database.query('delete from board_digest where board_id = $1', [boardId]);
  }

  async choose(boardId: number, userId: string, isWanted: boolean): Promise<void> {
    await this.database.query(
      isWanted
        ? 'delete from board_digest_refusal where board_id = $1 and user_id = $2'
        : `insert into board_digest_refusal (board_id, user_id)
           select board.id, account.user_id from board, account
            where board.id = $1 and account.user_id = $2 on conflict do nothing`,
      [boardId, userId],
    );
  }

  /** Locks a board whose time has come, and that no other process has. */
  async take(now: Date, tx: SqlRunner): Promise<DueDigest | null> {
    const [row] = await tx.query<DueDigest>(
      `select ${DIGEST}, ${newestEntryOf('digest.board_id')} as "newestEntryId"
         from board_digest digest
        where next_at <= $1 order by next_at limit 1 for update skip locked`,
      [now],
    );
    return row ?? null;
  }

  async noteTold(boardId: number, upTo: number, nextAt: Date, tx: SqlRunner): Promise<void> {
    await tx.query(
      `update board_digest set told_entry_id = greatest(told_entry_id, $2), next_at = $3
        where board_id = $1`,
      [boardId, upTo, nextAt],
    );
  }

  /**
   * Members with a mail address who want it; none if there is no digest any more.
   *
   * @param userId null: all
   */
  async recipients(
    boardId: number,
    userId: string | null,
    runner: SqlRunner = this.database,
  ): Promise<DigestRecipient[]> {
    return runner.query<DigestRecipient>(
      `select account.user_id as "userId", source.title as "boardName",
              its.display_name as "groupName"
         from board_digest digest join board on board.id = digest.board_id
         join source on source.id = board.source_id
         join group_folder_feed feed on feed.id = board.feed_id
         join group_folder folder on folder.id = feed.folder_id
         join account_group its on its.group_id = folder.group_id
         join account_group_member member on member.group_id = folder.group_id
         join account on account.user_id = member.user_id
        where board.id = $1 and ($2::text is null or account.user_id = $2)
          and account.email is not null and account.email_confirmed
          and account.disabled_at is null
          and not exists (select 1 from board_digest_refusal refusal
                           where refusal.board_id = $1 and refusal.user_id = account.user_id)`,
      [boardId, userId],
    );
  }
}
