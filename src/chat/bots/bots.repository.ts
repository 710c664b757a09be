import { Injectable } from '@nestjs/common';
import type { ChatBot } from '../../common/ports/chat-bots.js';
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
  async known(bots: readonly Pick<ChatBot, 'botId' | 'appId'>[]): Promise<KnownBot[]> {
    const botIds = bots.map(({ botId }) => botId);
    const appIds = bots.map(({ appId }) => appId);
    const find = () =>
      this.database.query<KnownBot>(
        `select ${COLUMNS} from chat_bot where bot_id = any($1) and app_id is not null`,
        [botIds],
      );
    const found = await find();
    if (found.length === botIds.length) {
      return found;
    }
    await this.database.query(
      `insert into chat_bot (bot_id, app_id) select * from unnest($1::text[], $2::text[])
       on conflict (bot_id) do update set app_id = excluded.app_id`,
      [botIds, appIds],
    );
    return find();
  }

  async ofApp(appId: string): Promise<string[]> {
    const rows = await this.database.query<{ botId: string }>(
      'select bot_id as "botId" from chat_bot where app_id = $1',
      [appId],
    );
    return rows.map(({ botId }) => botId);
  }

  /** Takes it out of all conversations as well. */
  async remove(botId: string): Promise<void> {
    await this.database.query('delete from chat_bot where bot_id = $1', [botId]);
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
