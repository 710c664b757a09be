import { Injectable } from '@nestjs/common';
import { ECDH } from 'node:crypto';
import { PublicAddress } from '../../../common/config/public-address.js';
import { isPublicHttps } from '../../../common/http/public-https.js';
import { Recipients } from '../../../common/ports/recipients.js';
import { SealedValues } from '../../../common/ports/sealed-values.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import { directionOf } from '../../../common/texts/languages.js';
import { DAY_SECONDS } from '../../../common/units.js';
import { cutAt } from '../../feed-parser/html/plain-text.js';
import { ChannelsRepository } from './channels.repository.js';
import { later, type ChannelAddress, type Sent } from './notice-channel.js';
import type { NoticeMessage } from './notice-message.js';
import { PushNotOffered } from './notices.errors.js';
import { Webhooks } from './webhook.service.js';

const SEALED_FOR = 'key of Web Push';

/** Push services keep a message for so long. */
export const PUSH_SECONDS = DAY_SECONDS;

/** Before it is encrypted; push services take 4096 bytes after that. */
const MOST_BYTES = 3000;
const SHORT_BYTES = 1000;

/**
 * Web Push (RFC 8030, 8291, 8292). Messages have the declarative form, which browsers that know it show
 * without the page's worker; others give the same JSON to the worker.
 */
@Injectable()
export class PushService {
  constructor(
    private readonly channels: ChannelsRepository,
    private readonly webhooks: Webhooks,
    private readonly recipients: Recipients,
    private readonly address: PublicAddress,
    private readonly secretBox: SecretBox,
    sealed: SealedValues,
  ) {
    sealed.register({
      what: 'keys of push notices',
      remedy: 'Others are made. Browsers subscribe again when their page is opened.',
      lost: async () => {
        const key = await channels.pushKey();
        return key === null || secretBox.opens(key.sealed, SEALED_FOR) ? [] : [key.publicKey];
      },
      replaceLost: () => channels.removePushKey(),
    });
  }

  /** Why push services would refuse the messages, a sentence; null if they would not. */
  get problem(): string | null {
    return this.#subject === null ? new PushNotOffered().message : null;
  }

  /** The public key that pages subscribe with, base64url. */
  async publicKey(): Promise<string> {
    return (await this.#keys()).publicKey;
  }

  async send(
    message: NoticeMessage,
    { url: endpoint, p256dh, auth }: ChannelAddress,
    signal?: AbortSignal,
  ): Promise<Sent> {
    const subject = this.#subject;
    if (subject === null) {
      return later(new PushNotOffered().message);
    }
    const keys = await this.#keys();
    const { default: webPush } = await import('web-push');
    const requestOf = (mostBytes: number) => {
      const { headers, body } = webPush.generateRequestDetails(
        { endpoint, keys: { p256dh, auth } },
        declarative(message, mostBytes),
        {
          TTL: PUSH_SECONDS,
          urgency: message.urgent ? 'high' : 'normal',
          topic: message.id,
          contentEncoding: 'aes128gcm',
          vapidDetails: { subject, ...keys },
        },
      );
      // The client counts by itself.
      const { 'Content-Length': _length, ...others } = headers;
      const texts = Object.entries(others).map(([name, value]) => [name, String(value)]);
      const named = Object.fromEntries(texts) as Record<string, string>;
      return { url: endpoint, headers: named, body: body as Uint8Array };
    };
    return this.webhooks.post(requestOf(MOST_BYTES), signal, {
      onTooLarge: () => requestOf(SHORT_BYTES),
      onGone: 'is removed',
    });
  }

  async #keys(): Promise<{ publicKey: string; privateKey: string }> {
    const stored = await this.channels.pushKey();
    if (stored !== null) {
      const { publicKey, sealed } = stored;
      return { publicKey, privateKey: this.secretBox.open(sealed, SEALED_FOR) };
    }
    const { default: webPush } = await import('web-push');
    const { publicKey, privateKey } = webPush.generateVAPIDKeys();
    await this.channels.savePushKey(publicKey, this.secretBox.seal(privateKey, SEALED_FOR));
    return this.#keys();
  }

  /**
   * Whom a push service would write to. Apple refuses addresses that nobody on the internet can reach.
   */
  get #subject(): string | null {
    const { mailSender } = this.recipients;
    const domain = mailSender?.split('@')[1] ?? '';
    const ofMail = URL.parse(`https://${domain}`);
    if (mailSender !== null && ofMail !== null && isPublicHttps(ofMail)) {
      return `mailto:${mailSender}`;
    }
    const root = new URL(this.address.root);
    return isPublicHttps(root) ? root.origin : null;
  }
}

/** Whether these can be the keys of a subscription (RFC 8291). */
export function arePushKeys({ p256dh, auth }: Pick<ChannelAddress, 'p256dh' | 'auth'>): boolean {
  const point = Buffer.from(p256dh, 'base64url');
  try {
    ECDH.convertKey(point, 'prime256v1', undefined, undefined, 'uncompressed');
  } catch {
    return false;
  }
  return point.length === 65 && Buffer.from(auth, 'base64url').length === 16;
}

/** The message as JSON of at most so many bytes. */
function declarative(message: NoticeMessage, mostBytes: number): string {
  const { id, title, body, readerUrl, buttons, items, language, words } = message;
  const jsonOf = (shownTitle: string, shownBody: string) =>
    JSON.stringify({
      web_push: 8030,
      notification: {
        title: shownTitle,
        body: shownBody,
        navigate: readerUrl,
        tag: id,
        lang: language,
        dir: directionOf(language),
        data: {
          type: message.type,
          itemId: items.length === 1 ? (items[0]?.id ?? null) : null,
          ...(buttons && { buttons: { ...buttons, words } }),
        },
      },
    });
  for (let characters = body.length; ; characters = Math.floor(characters * 0.8)) {
    const json = jsonOf(
      cutAt(title, Math.min(title.length, mostBytes / 10)),
      characters < body.length ? `${cutAt(body, characters)}…` : body,
    );
    if (characters === 0 || Buffer.byteLength(json) <= mostBytes) {
      return json;
    }
  }
}
