import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { ChatBotEntity } from './chat-bot.entity.js';
import { ConversationBotEntity } from './conversation-bot.entity.js';

const BOT = selectList(ChatBotEntity, 'b', ['id', 'botId', 'errorCount', 'lastError']);

/** What is stored about a bot besides what its external app declares. */
export type KnownBot = RowOf<typeof BOT> & {
  /** Unix seconds; 0 for never. */
  readonly lastErrorSeconds: number;
};

const MEMBERSHIP = selectList(ConversationBotEntity, 'm', ['id', 'botId']);

/** A bot in a conversation. Enabling it again makes another membership, with another id. */
export type BotMembership = RowOf<typeof MEMBERSHIP>;

/** Bots that have a number and a known app, in no order. */
export async function listKnownBots(
  runner: SqlRunner,
  botIds: readonly string[],
): Promise<KnownBot[]> {
  return runner.query<KnownBot>(
    `select ${BOT},
            coalesce(floor(extract(epoch from b.last_error_at)), 0)::bigint as "lastErrorSeconds"
       from chat_bot b where b.bot_id = any($1) and b.app_id is not null`,
    [botIds],
  );
}

/** Gives bots a number; sets the app of those that have one. */
export async function upsertBots(
  runner: SqlRunner,
  botIds: readonly string[],
  appIds: readonly string[],
): Promise<void> {
  await runner.query(
    `insert into chat_bot (bot_id, app_id) select * from unnest($1::text[], $2::text[])
     on conflict (bot_id) do update set app_id = excluded.app_id`,
    [botIds, appIds],
  );
}

/** Runs with every message. */
export async function listMemberships(
  runner: SqlRunner,
  conversationId: number,
): Promise<BotMembership[]> {
  return runner.query<BotMembership>(
    `select ${MEMBERSHIP} from conversation_bot m where m.conversation_id = $1 order by m.id`,
    [conversationId],
  );
}

/** @returns false when the bot is a member */
export async function insertMembership(
  runner: SqlRunner,
  conversationId: number,
  botId: string,
): Promise<boolean> {
  const rows = await runner.query(
    `insert into conversation_bot (conversation_id, bot_id) values ($1, $2)
     on conflict do nothing returning 1`,
    [conversationId, botId],
  );
  return rows.length > 0;
}

/** Counts one more failed delivery. */
export async function recordError(runner: SqlRunner, botId: string, error: string): Promise<void> {
  await runner.query(
    `update chat_bot set error_count = error_count + 1, last_error_at = now(), last_error = $2
      where bot_id = $1`,
    [botId, error],
  );
}
