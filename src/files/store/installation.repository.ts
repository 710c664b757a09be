import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';

/** What this installation calls itself. Made with the database, so it lasts as long as that. */
@Injectable()
export class InstallationRepository {
  #instanceId: string | undefined;

  constructor(private readonly database: Database) {}

  async instanceId(runner: SqlRunner = this.database): Promise<string> {
    if (this.#instanceId === undefined) {
      const [row] = await runner.query<{ instanceId: string }>(
        'select instance_id as "instanceId" from installation',
      );
      if (row === undefined) {
        throw new Error('The installation has no id; was its row removed from the database?');
      }
      this.#instanceId = row.instanceId;
    }
    return this.#instanceId;
  }
}
