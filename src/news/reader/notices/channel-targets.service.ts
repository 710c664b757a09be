import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { Config } from '../../../common/config/config.js';
import { AddressPolicy } from '../../../common/http/address-policy.js';
import { AddressNotAllowed } from '../../../common/http/outgoing-errors.js';
import type { ChannelAddress } from './notice-channel.js';
import type { ChannelKind, WebhookForm } from './notice.entities.js';
import { InvalidChannel } from './notices.errors.js';

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

/** Checks where a channel leads, before it is stored. */
@Injectable()
export class ChannelTargets {
  readonly #policy: AddressPolicy;

  constructor(config: Config) {
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
    return this.#webhook(form ?? 'standard', address);
  }

  #webhook(form: WebhookForm, address: ChannelAddress): Target {
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
