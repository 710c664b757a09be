import { Injectable } from '@nestjs/common';
import type { ChatBot } from '../../../common/ports/chat-bots.js';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { entityOf, p } from '../../../database/entity-of.js';
import { selectList, type RowOf } from '../../../database/select-list.js';

/** The number of a bot of an external app, and its errors. */
export class ChatBotEntity extends entityOf('chat_bot', {
  /** Id for clients; apps use `botId`. */
  id: p.integer().primary().autoincrement().generated('identity'),
  botId: p.text(),
  /** Failed deliveries since the last successful one. */
  errorCount: p.integer().default(0),
  lastErrorAt: p.datetime().strictNullable(),
  lastError: p.text().default(''),
  /** Null for bots of before this column, until they are listed again. */
  appId: p.text().strictNullable(),
}) {}

/** A bot that is a member of a conversation. */
export class ConversationBotEntity extends entityOf('conversation_bot', {
  /** Changes when the bot is removed and enabled again. */
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  conversationId: p.bigint('number'),
  botId: p.text(),
}) {}

const BOT = selectList(ChatBotEntity, 'b', ['id', 'botId', 'errorCount', 'lastError']);

/** The stored state of a bot, beyond its external app's declaration. */
export type KnownBot = RowOf<typeof BOT> & {
  /** Unix seconds; 0 for never. */
  readonly lastErrorSeconds: number;
};

const MEMBERSHIP = selectList(ConversationBotEntity, 'm', ['id', 'botId']);

/** A bot in a conversation. Enabling it again makes another membership, with another id. */
type BotMembership = RowOf<typeof MEMBERSHIP>;

/** Numbers and errors of bots, and the conversations that they are members of. */
@Injectable()
export class BotsRepository {
  constructor(private readonly database: Database) {}

  /** Assigns an id to new bots; updates the app of known ones. */
  async known(bots: readonly Pick<ChatBot, 'botId' | 'appId'>[]): Promise<KnownBot[]> {
    const botIds = bots.map(({ botId }) => botId);
    const found = await this.#known(botIds);
    if (found.length === botIds.length) {
      return found;
    }
    const appIds = bots.map(({ appId }) => appId);
    await this.database.query(
      `insert into chat_bot (bot_id, app_id) select * from unnest($1::text[], $2::text[])
       on conflict (bot_id) do update set app_id = excluded.app_id`,
      [botIds, appIds],
    );
    return this.#known(botIds);
  }

  /** Bots that have a number and a known app, in no order. */
  #known(botIds: readonly string[]): Promise<KnownBot[]> {
    return this.database.query<KnownBot>(
      `select ${BOT},
              coalesce(floor(extract(epoch from b.last_error_at)), 0)::bigint as "lastErrorSeconds"
         from chat_bot b where b.bot_id = any($1) and b.app_id is not null`,
      [botIds],
    );
  }

  /** Ids of all bots of an app. */
  async ofApp(appId: string): Promise<string[]> {
    const bots = await this.database.entities((em) =>
      em.find(ChatBotEntity, { appId }, { fields: ['botId'] }),
    );
    return bots.map(({ botId }) => botId);
  }

  /** Removes the bot from all conversations as well. */
  async remove(botId: string): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(ChatBotEntity, { botId }));
  }

  async botIdOf(id: number): Promise<string | null> {
    // Clients may send larger numbers than the column holds.
    if (id > MAX_INTEGER) {
      return null;
    }
    const found = await this.database.entities((em) =>
      em.findOne(ChatBotEntity, { id }, { fields: ['botId'] }),
    );
    return found?.botId ?? null;
  }

  /** Runs with every message. */
  async inConversation(
    conversationId: number,
    runner: SqlRunner = this.database,
  ): Promise<BotMembership[]> {
    return runner.query<BotMembership>(
      `select ${MEMBERSHIP} from conversation_bot m where m.conversation_id = $1 order by m.id`,
      [conversationId],
    );
  }

  /** @returns false when the bot is a member */
  async enable(conversationId: number, botId: string, tx: Transaction): Promise<boolean> {
    const rows = await tx.query(
      `insert into conversation_bot (conversation_id, bot_id) values ($1, $2)
       on conflict do nothing returning 1`,
      [conversationId, botId],
    );
    return rows.length > 0;
  }

  /** @returns false when the bot is no member */
  async disable(conversationId: number, botId: string, tx: Transaction): Promise<boolean> {
    return (await tx.em.nativeDelete(ConversationBotEntity, { conversationId, botId })) > 0;
  }

  /** Counts one more failed delivery. */
  async recordError(botId: string, error: string): Promise<void> {
    await this.database.query(
      `update chat_bot set error_count = error_count + 1, last_error_at = now(), last_error = $2
        where bot_id = $1`,
      [botId, error],
    );
  }

  async recordSuccess(botId: string): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(ChatBotEntity, { botId, errorCount: { $gt: 0 } }, { errorCount: 0 }),
    );
  }
}

const MAX_INTEGER = 2 ** 31 - 1;
