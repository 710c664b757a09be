import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { PublicAddress } from '../../../common/config/public-address.js';
import { Allowances } from '../../../common/ports/allowances.js';
import { Recipients } from '../../../common/ports/recipients.js';
import { languageFrom, type Language } from '../../../common/texts/languages.js';
import { textIn } from '../../../common/texts/translations.js';
import { ChannelBox } from './channel-box.service.js';
import { ChannelTargets } from './channel-targets.service.js';
import { TRIALS } from './channels.service.js';
import type { Sent } from './notice-channel.js';
import { messageId, ownMessage, type NoticeMessage } from './notice-message.js';
import type { TellingForm } from './notice.entities.js';
import { TooManyTrials } from './notices.errors.js';
import { Webhooks } from './webhook.service.js';

/** Where a webhook leads, as somebody enters it. */
export interface GivenTarget {
  readonly form: TellingForm;
  readonly address: string;
  readonly secret: string;
  readonly recipient: string;
}

/** A webhook as it is stored. */
export interface SealedWebhook {
  readonly form: TellingForm;
  readonly sealed: Buffer;
}

/** Webhooks that are not channels of a user: checked, sealed, tried and sent like them. */
@Injectable()
export class SealedWebhooks {
  constructor(
    private readonly targets: ChannelTargets,
    private readonly box: ChannelBox,
    private readonly webhooks: Webhooks,
    private readonly recipients: Recipients,
    private readonly allowances: Allowances,
    private readonly address: PublicAddress,
  ) {}

  /**
   * @returns what is stored, and the secret that was made for the receiver, or null
   * @throws InvalidChannel, AddressNotAllowed
   */
  async seal(userId: string, { form, address: url, ...given }: GivenTarget) {
    const whole = { ...this.box.nowhere, ...given, url };
    const checked = await this.targets.check('webhook', form, userId, whole);
    const { address, target, secret } = checked;
    const targetKey = this.box.keyOf('webhook', address);
    const language = languageFrom(await this.recipients.languageOf(userId));
    return {
      webhook: { form, target, targetKey, sealed: this.box.seal(address), language },
      secret,
    };
  }

  opens(webhook: SealedWebhook): boolean {
    return this.box.opens(webhook);
  }

  async send(webhook: SealedWebhook, message: NoticeMessage, signal?: AbortSignal): Promise<Sent> {
    return this.webhooks.send(message, webhook.form, this.box.open(webhook), signal);
  }

  /** @returns the error, a sentence; null if a message for trial was sent @throws TooManyTrials */
  async test(
    userId: string,
    webhook: SealedWebhook & { readonly language: Language },
  ): Promise<string | null> {
    const { granted, waitSeconds } = await this.allowances.take(userId, TRIALS);
    if (granted === 0) {
      throw new TooManyTrials(waitSeconds);
    }
    const { language } = webhook;
    const body = textIn(language, 'notices', 'test');
    const id = messageId('test', randomBytes(16).toString('hex'));
    const { root } = this.address;
    const message = ownMessage('notice.test', id, 'Gatefold', body, language, root);
    const sent = await this.send(webhook, message);
    return sent.result === 'sent' ? null : sent.error;
  }
}
