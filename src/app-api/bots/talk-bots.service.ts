import { Injectable } from '@nestjs/common';
import { createHash, randomInt } from 'node:crypto';
import { SecretBox } from '../../common/secrets/secret-box.js';
import { RegistrationNotFound } from '../app-api.errors.js';
import type { KindOf } from '../capabilities/capability.js';
import { RegistrationsRepository } from '../capabilities/registrations.repository.js';
import { withoutLeadingSlash } from '../field-schemas.js';
import { ValuesService } from '../values/values.service.js';

/** The stored registration; its lookup key is the route. */
interface TalkBotFields {
  /** Hex SHA-1, which the app derives by the same formula; depends on how it writes the route. */
  readonly id: string;
  readonly name: string;
  /** Path without leading slash. */
  readonly route: string;
  readonly description: string;
  /** Base64. */
  readonly secretSealed: string;
}

export const TALK_BOT: KindOf<TalkBotFields> = { kind: 'talk_bot' };

const SECRET_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const SECRET_LENGTH = 64;

interface NewTalkBot {
  readonly name: string;
  /** The app's spelling, with or without leading slash. */
  readonly route: string;
  readonly description: string;
}

export interface TalkBot extends Omit<TalkBotFields, 'secretSealed'> {
  /** Signs messages between chat and bot. */
  readonly secret: string;
}

/** Chat bots of external apps, and the secrets they share with the chat. */
@Injectable()
export class TalkBotsService {
  constructor(
    private readonly registrations: RegistrationsRepository,
    private readonly values: ValuesService,
    private readonly secrets: SecretBox,
  ) {}

  /**
   * Registering a bot again changes its name and description, not its secret, which the chat stores.
   *
   * @returns id and secret; the id depends on how the app writes the route
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

  /** @returns null if the app has no bot at this route */
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
    await this.values.of(appId).delete([...ids, ...ids.map(routeKey)]);
  }

  /** Bots whose secret was encrypted with another key. */
  async lost(): Promise<{ readonly appId: string; readonly key: string }[]> {
    const bots = await this.registrations.ofKind(TALK_BOT);
    return bots.filter(
      ({ appId, key, fields: { secretSealed } }) =>
        !this.secrets.opens(Buffer.from(secretSealed, 'base64'), sealedFor(appId, key)),
    );
  }

  /** Gives a bot a new secret and stores it where the app reads it. */
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
   * Older SDKs do not store the response to the registration. When a message arrives, they look up
   * the secret by an id derived from the request path, which has a leading slash.
   */
  async #tellByConfigValues(appId: string, route: string, secret: string): Promise<void> {
    for (const spelling of spellingsOf(route)) {
      const id = talkBotId(appId, spelling);
      await this.values.of(appId).set(id, secret, true);
      await this.values.of(appId).set(routeKey(id), spelling, true);
    }
  }

  #open(appId: string, route: string, secretSealed: string): string {
    return this.secrets.open(Buffer.from(secretSealed, 'base64'), sealedFor(appId, route));
  }
}

/** The formula of the SDKs, applied to the route as the app writes it. */
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
