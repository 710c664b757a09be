import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';

/** Claims the task unless it was done within `everySeconds`; a time in the future does not count. */
const TAKE_TURN = `
  insert into housekeeping (task, done_at) values ($1, now())
  on conflict (task) do update set done_at = now()
   where housekeeping.done_at <= now() - make_interval(secs => $2)
      or housekeeping.done_at > now() + interval '1 minute'
  returning 1`;

/** Last runs of tasks that all processes share. */
@Injectable()
export class HousekeepingRepository {
  constructor(private readonly database: Database) {}

  /**
   * Lets one process per `everySeconds` do a task for all of them.
   *
   * @returns whether it is this process's turn
   */
  async takeTurn(task: string, everySeconds: number): Promise<boolean> {
    return (await this.database.query(TAKE_TURN, [task, everySeconds])).length > 0;
  }
}
