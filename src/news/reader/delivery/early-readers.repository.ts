import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../database/database.js';
import { FollowerRowsRepository } from './follower-rows.repository.js';
import type { LockedReader } from './reader-locks.repository.js';

/**
 * Why articles are looked at for a reader as they arrive. Apps that listen are a reason for everybody; for
 * `stories` alone nothing is delivered early.
 */
export type EarlyReason = 'tells' | 'automates' | 'digests' | 'stories';

/** Readers to whom articles are delivered before a client asks. Everybody else costs nothing. */
@Injectable()
export class EarlyReadersRepository {
  constructor(private readonly followers: FollowerRowsRepository) {}

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
            where reader_id = $1 and not (tells or automates or digests or stories) returning 1`,
          [reader.id],
        );
    await tx.query('update reader set is_early = $2 where id = $1 and is_early <> $2', [
      reader.id,
      kept !== undefined && gone === undefined,
    ]);
    await this.followers.commitTogether(tx);
  }

  /** Makes it an early reader for some time, whose articles are delivered when the caller says so. */
  async setFor(reader: LockedReader, seconds: number, tx: SqlRunner): Promise<void> {
    await tx.query(
      'update reader set early_until = now() + make_interval(secs => $2) where id = $1',
      [reader.id, seconds],
    );
  }
}
