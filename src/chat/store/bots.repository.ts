import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';

/** What is kept about a bot beside what its external app says of it. */
export interface KnownBot {
  /** Under which clients know it. */
  readonly id: number;
  readonly botId: string;
  /** In a row, since it was reached for the last time. */
  readonly errorCount: number;
  /** Unix seconds; 0 for never. */
  readonly lastErrorSeconds: number;
  readonly lastError: string;
}

/** A bot in a conversation. */
export interface BotMembership {
  /** Another one after the bot was taken out and put in again. */
  readonly id: number;
  readonly botId: string;
}

const COLUMNS = `
  id, bot_id as "botId", error_count as "errorCount",
  coalesce(floor(extract(epoch from last_error_at)), 0)::bigint as "lastErrorSeconds",
  last_error as "lastError"`;

/** Bots by number, and the conversations that they take part in. */
@Injectable()
export class BotsRepository {
  constructor(private readonly database: Database) {}

  /** Gives a number to those that have none yet. */
  async known(botIds: readonly string[]): Promise<KnownBot[]> {
    const find = () =>
      this.database.query<KnownBot>(`select ${COLUMNS} from chat_bot where bot_id = any($1)`, [
        botIds,
      ]);
    const found = await find();
    if (found.length === botIds.length) {
      return found;
    }
    await this.database.query(
      'insert into chat_bot (bot_id) select unnest($1::text[]) on conflict (bot_id) do nothing',
      [botIds],
    );
    return find();
  }

  async botIdOf(id: number): Promise<string | null> {
    const [found] = await this.database.query<{ botId: string }>(
      'select bot_id as "botId" from chat_bot where id = $1::bigint',
      [id],
    );
    return found?.botId ?? null;
  }

  async inConversation(
    conversationId: number,
    on: SqlRunner = this.database,
  ): Promise<BotMembership[]> {
    return on.query<BotMembership>(
      'select id, bot_id as "botId" from conversation_bot where conversation_id = $1 order by id',
      [conversationId],
    );
  }

  /** @returns whether it took no part before */
  async enable(conversationId: number, botId: string, tx: SqlRunner): Promise<boolean> {
    const rows = await tx.query(
      `insert into conversation_bot (conversation_id, bot_id) values ($1, $2)
       on conflict do nothing returning 1`,
      [conversationId, botId],
    );
    return rows.length > 0;
  }

  /** @returns whether it took part */
  async disable(conversationId: number, botId: string, tx: SqlRunner): Promise<boolean> {
    const rows = await tx.query(
      'delete from conversation_bot where conversation_id = $1 and bot_id = $2 returning 1',
      [conversationId, botId],
    );
    return rows.length > 0;
  }

  async noteError(botId: string, error: string): Promise<void> {
    await this.database.query(
      `update chat_bot set error_count = error_count + 1, last_error_at = now(), last_error = $2
        where bot_id = $1`,
      [botId, error],
    );
  }

  async noteSuccess(botId: string): Promise<void> {
    await this.database.query(
      'update chat_bot set error_count = 0 where bot_id = $1 and error_count > 0',
      [botId],
    );
  }
}
