import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { TAKE_TURN } from './housekeeping.sql.js';

/** When tasks that all processes share were last done. */
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
