import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { Config } from '../../../common/config/config.js';
import { AddressPolicy } from '../../../common/http/address-policy.js';
import { AddressNotAllowed } from '../../../common/http/outgoing-errors.js';
import { AppMessagesOffer } from '../../../common/ports/app-messages.js';
import { Recipients } from '../../../common/ports/recipients.js';
import type { ChannelAddress } from './notice-channel.js';
import type { ChannelKind, WebhookForm } from './notice.entities.js';
import { InvalidChannel, MailNotOffered, PushNotOffered } from './notices.errors.js';
import { arePushKeys, PushService } from './push.service.js';
import { SAVING, savingFormOf } from './saving-forms.js';

interface Target {
  readonly address: ChannelAddress;
  /** What is shown of it. */
  readonly target: string;
  /** The secret that was made; null if it was given. */
  readonly secret: string | null;
}

/** Standard Webhooks 1.0.0: 24 to 64 bytes. */
const SECRET_BYTES = 32;
const SECRET = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;

const MOST_URL_CHARACTERS = 2000;

const NEEDED = {
  secret: 'needs a token or a password as its secret',
  recipient: 'needs a user name as its recipient',
  clientId: 'needs a client id',
  clientSecret: 'needs a client secret',
};

/** Checks where a channel leads, before it is stored. */
@Injectable()
export class ChannelTargets {
  readonly #policy: AddressPolicy;

  constructor(
    config: Config,
    private readonly push: PushService,
    private readonly recipients: Recipients,
    private readonly apps: AppMessagesOffer,
  ) {
    this.#policy = new AddressPolicy(config.fetchAllowPrivate);
  }

  /**
   * @throws InvalidChannel
   * @throws AddressNotAllowed
   */
  async check(
    kind: ChannelKind,
    form: WebhookForm | null,
    userId: string,
    address: ChannelAddress,
  ): Promise<Target> {
    if (kind === 'push') {
      return this.#pushed(address);
    }
    if (kind === 'mail') {
      const problem = await this.#mailProblem(userId);
      if (problem !== null) {
        throw new MailNotOffered(problem);
      }
      const target = (await this.recipients.mailAddressOf(userId)) ?? '';
      return { address, target, secret: null };
    }
    if (kind === 'app') {
      const apps = (await this.apps.service?.receivers()) ?? [];
      const app = apps.find(({ appId }) => appId === address.appId);
      if (app === undefined) {
        throw new InvalidChannel('needs an external app that listens for articles');
      }
      return { address, target: app.name, secret: null };
    }
    return this.#webhook(form ?? 'standard', address);
  }

  /** What channels can be made of, and why others cannot: sentences. */
  async offered(userId: string) {
    const { problem: pushProblem } = this.push;
    return {
      pushProblem,
      applicationServerKey: pushProblem === null ? await this.push.publicKey() : null,
      mailProblem: await this.#mailProblem(userId),
      apps: (await this.apps.service?.receivers()) ?? [],
    };
  }

  async #mailProblem(userId: string): Promise<string | null> {
    if (this.recipients.mailSender === null) {
      return 'This service sends no mail.';
    }
    const address = await this.recipients.mailAddressOf(userId);
    return address === null ? 'Your account has no confirmed mail address.' : null;
  }

  #pushed(address: ChannelAddress): Target {
    if (this.push.problem !== null) {
      throw new PushNotOffered();
    }
    const url = this.#checkedUrl(address.url);
    if (url.protocol !== 'https:' || !arePushKeys(address)) {
      throw new InvalidChannel('needs the subscription of a browser, with https and both keys');
    }
    return { address, target: url.host, secret: null };
  }

  #webhook(form: WebhookForm, address: ChannelAddress): Target {
    const saving = savingFormOf(form);
    if (saving !== null) {
      const { at = '', needs } = SAVING[saving];
      const whole = { ...address, url: address.url || at };
      const { host } = this.#checkedUrl(whole.url);
      const missing = needs.find((name) => whole[name] === '');
      if (missing !== undefined) {
        throw new InvalidChannel(NEEDED[missing]);
      }
      return { address: whole, target: host, secret: null };
    }
    const isOptional = form === 'pushover' && address.url === '';
    const url = isOptional ? new URL('https://api.pushover.net/') : this.#checkedUrl(address.url);
    if (form === 'ntfy' && url.pathname.split('/').filter(Boolean).length === 0) {
      throw new InvalidChannel('needs the address of a topic, such as https://ntfy.sh/my-topic');
    }
    if ((form === 'gotify' || form === 'pushover') && address.secret === '') {
      throw new InvalidChannel('needs the token of an application as its secret');
    }
    if (form === 'pushover' && address.recipient === '') {
      throw new InvalidChannel('needs a user key as its recipient');
    }
    if (form !== 'standard') {
      return { address, target: url.host, secret: null };
    }
    if (address.secret !== '' && !SECRET.test(address.secret)) {
      throw new InvalidChannel('needs a secret of 24 to 64 bytes, whsec_ and base64');
    }
    const made =
      address.secret === '' ? `whsec_${randomBytes(SECRET_BYTES).toString('base64')}` : null;
    return {
      address: { ...address, secret: made ?? address.secret },
      target: url.host,
      secret: made,
    };
  }

  /** Names are checked when they are resolved, at every request. */
  #checkedUrl(text: string): URL {
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol) || text.length > MOST_URL_CHARACTERS) {
      throw new InvalidChannel('needs an address that begins with http:// or https://');
    }
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const literal = /(?:^|\.)localhost\.?$/i.test(host) ? '127.0.0.1' : host;
    if (net.isIP(literal) !== 0 && this.#policy.judge(literal) === 'refused') {
      throw new AddressNotAllowed(url.host);
    }
    return url;
  }
}
