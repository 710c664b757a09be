import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { RuleEffectsRepository } from '../reader/rules/rule-effects.repository.js';

/** What kept pages have that other items have not. */
@Injectable()
export class SavedPagesRepository {
  constructor(
    private readonly database: Database,
    private readonly readers: ReadersRepository,
    private readonly effects: RuleEffectsRepository,
  ) {}

  /** Articles in all feeds of the user that items are added to, at most `most`; imports have limits of their own. */
  async count({ id: readerId, userId }: Reader, most: number): Promise<number> {
    const [imported] = await this.database.query<{ count: number }>(
      'select count(*)::int as count from imported_article where reader_id = $1 and created',
      [readerId],
    );
    const others = imported?.count ?? 0;
    const sources = await this.database.query<{ id: number }>(
      'select id from source where given_to = $1',
      [userId],
    );
    const [row] = await this.database.query<{ count: number }>(
      `select count(*)::int as count
         from (select id from article where source_id = any($1::bigint[]) limit $2) kept`,
      [sources.map(({ id }) => id), most + others],
    );
    return Math.max(0, (row?.count ?? 0) - others);
  }

  /** Keeps an item from being removed as an old read one, as rules do, whatever rules do. */
  async retain(reader: Reader, itemId: number): Promise<void> {
    await this.readers.change(
      reader,
      async (tx, { id }) => this.effects.retainForUser(id, itemId, tx),
      'upkeep',
    );
  }
}
