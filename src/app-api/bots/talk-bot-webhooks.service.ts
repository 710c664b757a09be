import { Injectable, Logger } from '@nestjs/common';
import { createHmac, randomBytes } from 'node:crypto';
import { PublicAddress } from '../../common/config/public-address.js';
import {
  ChatBotsOffer,
  type ChatBots,
  type BotDelivery,
  type BotSignature,
  type ChatBot,
} from '../../common/ports/chat-bots.js';
import { GatewayThrottle } from '../../common/ports/gateway-throttle.js';
import { isSameSecret } from '../../common/secrets/token-hash.js';
import { ExAppUnreachable, TalkBotNotFound } from '../app-api.errors.js';
import { ExAppClient } from '../apps/client/ex-app-client.service.js';
import { ExAppsRepository, type ExApp } from '../apps/ex-apps.repository.js';
import { ExAppLog } from '../apps/log/ex-app-log.service.js';
import { RegistrationsRepository } from '../capabilities/registrations.repository.js';
import { TALK_BOT, talkBotId, TalkBotsService, type TalkBot } from './talk-bots.service.js';

interface SignedMessage extends BotSignature {
  /** Reads the body as it was signed; called only if the bot exists. */
  readBody(): Promise<Uint8Array>;
  /** Address of the chat's host, to which bots reply. */
  readonly backend: string;
  readonly clientAddress: string;
}

/** Most bots do their work before they respond. */
const ANSWER_SECONDS = 30;

const RANDOM_BYTES = 32;

interface BotOfApp {
  readonly app: ExApp;
  readonly bot: TalkBot;
}

/**
 * Messages between chats and the bots of external apps, signed with the bot's secret in both directions.
 *
 * @see docs/app-api-reference.md "Chat bots"
 */
@Injectable()
export class TalkBotWebhooksService implements ChatBots {
  readonly #logger = new Logger('ChatBots');

  constructor(
    private readonly apps: ExAppsRepository,
    private readonly bots: TalkBotsService,
    private readonly registrations: RegistrationsRepository,
    private readonly client: ExAppClient,
    private readonly throttle: GatewayThrottle,
    private readonly log: ExAppLog,
    private readonly address: PublicAddress,
    offer: ChatBotsOffer,
  ) {
    offer.fill(this);
  }

  /**
   * Delivers a message of a chat to a bot, if it is signed with the bot's secret.
   *
   * @throws TalkBotNotFound for an unknown bot or a wrong signature
   * @throws ExAppUnreachable
   */
  async receive(appId: string, route: string, message: SignedMessage): Promise<void> {
    const { clientAddress } = message;
    const claim = { clientAddress, claimed: `a chat with the bot ${appId}/${route}` };
    const found = await this.#find(appId, route);
    const body = found === null ? null : await message.readBody();
    if (found === null || body === null || !isSignedBy(found.bot, body, message)) {
      await this.throttle.countAndDelay(claim);
      throw new TalkBotNotFound();
    }
    await this.#send(found, { ...message, body });
  }

  async list(): Promise<ChatBot[]> {
    const found = await this.#ofEnabledApps();
    return found.map(toChatBot).sort((a, b) => a.name.localeCompare(b.name));
  }

  async deliver(botId: string, payload: unknown, signal?: AbortSignal): Promise<BotDelivery> {
    const found = (await this.#ofEnabledApps()).find((one) => botIdOf(one) === botId);
    if (found === undefined) {
      this.#logger.debug(`no enabled external app has the chat bot ${botId}`);
      return 'unknown-bot';
    }
    const body = Buffer.from(JSON.stringify(payload));
    const random = randomBytes(RANDOM_BYTES).toString('hex');
    const signature = sign(found.bot, random, body);
    const backend = this.address.of('');
    try {
      const status = await this.#send(found, { body, random, signature, backend }, signal);
      return status >= 500 ? 'failed' : 'delivered';
    } catch (error) {
      if (!(error instanceof ExAppUnreachable)) {
        throw error;
      }
      this.log.warn(found.app.appId, `chat bot "${found.bot.name}": ${error.message}`);
      return 'unreachable';
    }
  }

  async author(text: string, signature: BotSignature): Promise<ChatBot | null> {
    const body = Buffer.from(text);
    const found = await this.#ofEnabledApps();
    const author = found.find(({ bot }) => isSignedBy(bot, body, signature));
    return author === undefined ? null : toChatBot(author);
  }

  async #send(
    { app, bot }: BotOfApp,
    message: BotSignature & Pick<SignedMessage, 'backend'> & { readonly body: Uint8Array },
    signal?: AbortSignal,
  ): Promise<number> {
    const status = await this.client.tell(app, {
      method: 'POST',
      route: bot.route,
      body: message.body,
      headers: {
        'content-type': 'application/json',
        'x-nextcloud-talk-random': message.random,
        'x-nextcloud-talk-signature': message.signature,
        ...(message.backend && { 'x-nextcloud-talk-backend': message.backend }),
      },
      timeoutSeconds: ANSWER_SECONDS,
      ...(signal && { signal }),
    });
    if (status >= 400) {
      this.log.warn(app.appId, `chat bot "${bot.name}" answered with status ${status}`);
    }
    return status;
  }

  async #find(appId: string, route: string): Promise<BotOfApp | null> {
    const app = await this.apps.find(appId);
    const bot = app?.enabled ? await this.bots.find(appId, route) : null;
    return app && bot ? { app, bot } : null;
  }

  async #ofEnabledApps(): Promise<BotOfApp[]> {
    const registered = await this.registrations.ofEnabledApps(TALK_BOT);
    const found = await Promise.all(registered.map(({ appId, key }) => this.#find(appId, key)));
    return found.filter((bot) => bot !== null);
  }
}

function toChatBot(found: BotOfApp): ChatBot {
  const { app, bot } = found;
  const { name, description } = bot;
  return { botId: botIdOf(found), appId: app.appId, route: bot.route, name, description };
}

function botIdOf({ app, bot }: BotOfApp): string {
  return talkBotId(app.appId, bot.route);
}

function sign({ secret }: TalkBot, random: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(random).update(body).digest('hex');
}

function isSignedBy(bot: TalkBot, body: Uint8Array, { random, signature }: BotSignature): boolean {
  return random !== '' && isSameSecret(signature.toLowerCase(), sign(bot, random, body));
}
