import { Injectable } from '@nestjs/common';
import type { ChatBot } from '../../../common/ports/chat-bots.js';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import {
  insertMembership,
  listKnownBots,
  listMemberships,
  recordError,
  upsertBots,
  type BotMembership,
  type KnownBot,
} from './bots.sql.js';
import { ChatBotEntity } from './chat-bot.entity.js';
import { ConversationBotEntity } from './conversation-bot.entity.js';

/** Numbers and errors of bots, and the conversations that they are members of. */
@Injectable()
export class BotsRepository {
  constructor(private readonly database: Database) {}

  /** Gives a number to bots that have none. */
  async known(bots: readonly Pick<ChatBot, 'botId' | 'appId'>[]): Promise<KnownBot[]> {
    const botIds = bots.map(({ botId }) => botId);
    const found = await listKnownBots(this.database, botIds);
    if (found.length === botIds.length) {
      return found;
    }
    const appIds = bots.map(({ appId }) => appId);
    await upsertBots(this.database, botIds, appIds);
    return listKnownBots(this.database, botIds);
  }

  /** Ids of all bots of an app. */
  async ofApp(appId: string): Promise<string[]> {
    const bots = await this.database.entities((em) =>
      em.find(ChatBotEntity, { appId }, { fields: ['botId'], disableIdentityMap: true }),
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
      em.findOne(ChatBotEntity, { id }, { fields: ['botId'], disableIdentityMap: true }),
    );
    return found?.botId ?? null;
  }

  async inConversation(
    conversationId: number,
    runner: SqlRunner = this.database,
  ): Promise<BotMembership[]> {
    return listMemberships(runner, conversationId);
  }

  /** @returns false when the bot is a member */
  async enable(conversationId: number, botId: string, tx: Transaction): Promise<boolean> {
    return insertMembership(tx, conversationId, botId);
  }

  /** @returns false when the bot is no member */
  async disable(conversationId: number, botId: string, tx: Transaction): Promise<boolean> {
    return (await tx.em.nativeDelete(ConversationBotEntity, { conversationId, botId })) > 0;
  }

  async recordError(botId: string, error: string): Promise<void> {
    await recordError(this.database, botId, error);
  }

  async recordSuccess(botId: string): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(ChatBotEntity, { botId, errorCount: { $gt: 0 } }, { errorCount: 0 }),
    );
  }
}

const MAX_INTEGER = 2 ** 31 - 1;
