import { Injectable } from '@nestjs/common';
import { ChatBotsOffer, type BotSignature, type ChatBot } from '../../../common/ports/chat-bots.js';
import { GatewayThrottle } from '../../../common/ports/gateway-throttle.js';
import { ExAppUninstallHooks } from '../../../common/ports/hooks.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { BotNotFound, BotNotVerified } from '../chat.errors.js';
import { ConversationWriter } from '../conversations/conversation-writer.service.js';
import { assertModerator, ConversationsService } from '../conversations/conversations.service.js';
import { ConversationsRepository } from '../conversations/model/conversations.repository.js';
import { BotDeliveriesService } from './bot-deliveries.service.js';
import { BotsRepository, type KnownBot } from './bots.repository.js';

export type InstalledBot = ChatBot & KnownBot;

/** A bot that moderators can enable. */
export interface BotChoice {
  readonly bot: InstalledBot;
  readonly enabled: boolean;
}

/** Installed bots, and the conversations that they are enabled in. */
@Injectable()
export class BotsService {
  constructor(
    private readonly chatBots: ChatBotsOffer,
    private readonly bots: BotsRepository,
    private readonly conversations: ConversationsService,
    private readonly allConversations: ConversationsRepository,
    private readonly deliveries: BotDeliveriesService,
    private readonly writer: ConversationWriter,
    private readonly throttle: GatewayThrottle,
    uninstallHooks: ExAppUninstallHooks,
  ) {
    uninstallHooks.add((appId) => this.#forget(appId));
  }

  /** Bots of enabled external apps, by name. */
  async installed(): Promise<InstalledBot[]> {
    const bots = (await this.chatBots.service?.list()) ?? [];
    const known = await this.bots.known(bots);
    return bots.flatMap((bot) => {
      const more = known.find(({ botId }) => botId === bot.botId);
      return more === undefined ? [] : [{ ...bot, ...more }];
    });
  }

  async choices(userId: string, token: string): Promise<BotChoice[]> {
    const { conversation, self } = await this.conversations.show(userId, token);
    assertModerator(self);
    const enabled = new Set(
      (await this.bots.inConversation(conversation.id)).map(({ botId }) => botId),
    );
    const installed = await this.installed();
    return installed.map((bot) => ({ bot, enabled: enabled.has(bot.botId) }));
  }

  /**
   * The bot receives all later messages, and may send some.
   *
   * @returns false if it was enabled
   * @throws BotNotFound
   */
  async enable(account: Account, token: string, id: number): Promise<boolean> {
    const { conversation, self } = await this.conversations.show(account.userId, token);
    assertModerator(self);
    const bot = (await this.installed()).find((one) => one.id === id);
    if (bot === undefined) {
      throw new BotNotFound(id);
    }
    const name = await this.conversations.nameFor(conversation);
    return this.writer.change(token, account.userId, async (open) => {
      assertModerator(open.self);
      const { tx, outbox } = open;
      if (!(await this.bots.enable(conversation.id, bot.botId, tx))) {
        return false;
      }
      await this.deliveries.queuePresence('Join', bot.botId, open.conversation, name, tx);
      outbox.deliveries += 1;
      return true;
    });
  }

  /**
   * Disables bots too whose external app is disabled or unregistered.
   *
   * @throws BotNotFound
   */
  async disable(account: Account, token: string, id: number): Promise<void> {
    const { conversation, self } = await this.conversations.show(account.userId, token);
    assertModerator(self);
    const botId = BotNotFound.unless(await this.bots.botIdOf(id), id);
    const name = await this.conversations.nameFor(conversation);
    await this.writer.change(token, account.userId, async (open) => {
      assertModerator(open.self);
      const { tx, outbox } = open;
      if (await this.bots.disable(conversation.id, botId, tx)) {
        await this.deliveries.queuePresence('Leave', botId, open.conversation, name, tx);
        outbox.deliveries += 1;
      }
    });
  }

  /**
   * Finds the bot of the conversation that signed a text. Wrong signatures are throttled by address.
   *
   * @throws BotNotVerified
   */
  async verify(
    token: string,
    text: string,
    signature: BotSignature,
    clientAddress: string,
  ): Promise<ChatBot> {
    const claim = { clientAddress, claimed: `a bot of the conversation ${token}` };
    const bot = await this.chatBots.service?.author(text, signature);
    if (!bot) {
      await this.throttle.countAndDelay(claim);
      throw new BotNotVerified();
    }
    const conversation = await this.allConversations.find(token);
    if (!conversation || !(await this.deliveries.isMember(conversation.id, bot.botId))) {
      throw new BotNotVerified();
    }
    return bot;
  }

  /** Removes the bots of an unregistered app. They receive no `Leave`, since the app no longer exists. */
  async #forget(appId: string): Promise<void> {
    for (const botId of await this.bots.ofApp(appId)) {
      // Safe to repeat in this order; a delivery queued in between is dropped for lack of a member.
      await this.deliveries.forget(botId);
      await this.bots.remove(botId);
    }
  }
}
