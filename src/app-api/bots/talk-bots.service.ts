import { Injectable } from '@nestjs/common';
import { createHash, randomInt } from 'node:crypto';
import { SecretBox } from '../../common/secrets/secret-box.js';
import { ConfigValuesService } from '../values/config-values.service.js';
import type { KindOf } from '../capabilities/capability.js';
import { RegistrationNotFound } from '../app-api.errors.js';
import { withoutLeadingSlash } from '../field-schemas.js';
import { RegistrationsRepository } from '../capabilities/registrations.repository.js';

/** The stored registration; its lookup key is the route. */
interface TalkBotFields {
  /** Hex SHA-1; depends on how the app writes the route. */
  readonly id: string;
  readonly name: string;
  /** Without leading slash. */
  readonly route: string;
  readonly description: string;
  /** Base64. */
  readonly secretSealed: string;
}

export const TALK_BOT: KindOf<TalkBotFields> = { kind: 'talk_bot' };

const SECRET_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const SECRET_LENGTH = 64;

export interface NewTalkBot {
  readonly name: string;
  /** As the app writes it, with or without a slash in front. */
  readonly route: string;
  readonly description: string;
}

export interface TalkBot {
  /** Hex; known to the app, which works it out by the same formula. */
  readonly id: string;
  readonly name: string;
  /** Without a slash in front. */
  readonly route: string;
  readonly description: string;
  /** Signs what goes between the chat and the bot. */
  readonly secret: string;
}

/** Chat bots of external apps, and the secrets they share with the chat. */
@Injectable()
export class TalkBotsService {
  constructor(
    private readonly registrations: RegistrationsRepository,
    private readonly configValues: ConfigValuesService,
    private readonly secrets: SecretBox,
  ) {}

  /**
   * Registering a bot again changes its words, not its secret: the chat keeps a copy of that.
   *
   * @returns id and secret; the id is the same whenever the app writes the route the same way
   */
  async register(
    appId: string,
    { name, route: sentRoute, description }: NewTalkBot,
  ): Promise<{ readonly id: string; readonly secret: string }> {
    const route = withoutLeadingSlash(sentRoute);
    const bot = { id: talkBotId(appId, sentRoute), name, route, description };
    const {
      fields: { secretSealed },
    } = await this.registrations.saveIfAbsent(appId, TALK_BOT, route, {
      ...bot,
      secretSealed: this.secrets.seal(newSecret(), sealedFor(appId, route)).toString('base64'),
    });
    await this.registrations.save(appId, 'talk_bot', route, { ...bot, secretSealed });
    const secret = this.#open(appId, route, secretSealed);
    await this.#tellByConfigValues(appId, route, secret);
    return { id: bot.id, secret };
  }

  /** @returns null when the app has registered no bot at this route */
  async find(appId: string, sentRoute: string): Promise<TalkBot | null> {
    const route = withoutLeadingSlash(sentRoute);
    const found = await this.registrations.find(appId, TALK_BOT, route);
    if (found === null) {
      return null;
    }
    const { secretSealed, ...bot } = found.fields;
    return { ...bot, secret: this.#open(appId, route, secretSealed) };
  }

  /** @throws RegistrationNotFound */
  async unregister(appId: string, sentRoute: string): Promise<void> {
    const route = withoutLeadingSlash(sentRoute);
    if (!(await this.registrations.remove(appId, 'talk_bot', route))) {
      throw new RegistrationNotFound('Talk bots could not be unregistered');
    }
    const ids = spellingsOf(route).map((spelling) => talkBotId(appId, spelling));
    await this.configValues.delete(appId, [...ids, ...ids.map(routeKey)]);
  }

  /** Registrations whose secret was sealed with another key. */
  async lost(): Promise<{ readonly appId: string; readonly key: string }[]> {
    const bots = await this.registrations.ofKind(TALK_BOT);
    return bots.filter(
      ({ appId, key, fields: { secretSealed } }) =>
        !this.secrets.opens(Buffer.from(secretSealed, 'base64'), sealedFor(appId, key)),
    );
  }

  /** Gives a bot another secret, and tells its app. */
  async renewSecret(appId: string, route: string): Promise<void> {
    const found = await this.registrations.find(appId, TALK_BOT, route);
    if (found === null) {
      return;
    }
    const secret = newSecret();
    const secretSealed = this.secrets.seal(secret, sealedFor(appId, route)).toString('base64');
    await this.registrations.save(appId, 'talk_bot', route, { ...found.fields, secretSealed });
    await this.#tellByConfigValues(appId, route, secret);
  }

  /**
   * Older kits do not keep what the registration answers. They look it up when a message comes, by
   * an id that they work out from the path of the request, which has a slash in front.
   */
  async #tellByConfigValues(appId: string, route: string, secret: string): Promise<void> {
    for (const spelling of spellingsOf(route)) {
      const id = talkBotId(appId, spelling);
      await this.configValues.set(appId, id, secret, true);
      await this.configValues.set(appId, routeKey(id), spelling, true);
    }
  }

  #open(appId: string, route: string, secretSealed: string): string {
    return this.secrets.open(Buffer.from(secretSealed, 'base64'), sealedFor(appId, route));
  }
}

/** The same formula as in the kits, hence of the route as the app writes it. */
export function talkBotId(appId: string, sentRoute: string): string {
  return createHash('sha1').update(`${appId}_${sentRoute}`).digest('hex');
}

function spellingsOf(route: string): readonly string[] {
  return [route, `/${route}`];
}

function newSecret(): string {
  return Array.from({ length: SECRET_LENGTH }, () =>
    SECRET_CHARACTERS.charAt(randomInt(SECRET_CHARACTERS.length)),
  ).join('');
}

function routeKey(id: string): string {
  return `talk_bot_route_${id}`;
}

function sealedFor(appId: string, route: string): string {
  return JSON.stringify(['secret of a chat bot', appId, route]);
}
