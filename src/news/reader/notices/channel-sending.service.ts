import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../../../common/config/public-address.js';
import { AppMessagesOffer } from '../../../common/ports/app-messages.js';
import { Recipients } from '../../../common/ports/recipients.js';
import { UserDirectoryOffer } from '../../../common/ports/user-directory.js';
import { languageFrom, type Language } from '../../../common/texts/languages.js';
import { ChannelBox } from './channel-box.service.js';
import type { Channel } from './channels.repository.js';
import { later, SENT, type Sent } from './notice-channel.js';
import { messageOf, ownMessage, type NoticeMessage } from './notice-message.js';
import type { DueNotice, NoticedItem } from './notices.repository.js';
import { PushService } from './push.service.js';
import { Webhooks } from './webhook.service.js';

/** A channel with its reader, and the language of the user. */
export type ChannelOf = Channel & {
  readonly readerId: number;
  readonly userId: string;
  readonly language: Language;
};

/** Sends messages by channels of any kind. */
@Injectable()
export class ChannelSending {
  constructor(
    private readonly box: ChannelBox,
    private readonly webhooks: Webhooks,
    private readonly push: PushService,
    private readonly recipients: Recipients,
    private readonly apps: AppMessagesOffer,
    private readonly users: UserDirectoryOffer,
    private readonly address: PublicAddress,
  ) {}

  /** @returns null for a disabled account */
  async withUser(readerId: number, userId: string, channel: Channel): Promise<ChannelOf | null> {
    if ((await this.users.required.find(userId)) === null) {
      return null;
    }
    const language = languageFrom(await this.recipients.languageOf(userId));
    return { ...channel, readerId, userId, language };
  }

  /** Sends what tells one item, or with `gathered` several. @param items as their recipient sees them */
  async sendNotices(
    channel: ChannelOf,
    notices: readonly DueNotice[],
    gathered: string | null,
    items: ReadonlyMap<number, NoticedItem>,
    signal: AbortSignal,
  ): Promise<Sent> {
    const { readerId, language } = channel;
    const { root } = this.address;
    const token = this.box.tokenOf(readerId, notices[0]?.id ?? 0);
    const buttonsAt = `${root}/apps/news/notices/${token}`;
    const shown = { items, root, language, buttonsAt };
    return this.#send(channel, messageOf(readerId, notices, gathered, shown), signal);
  }

  /** Sends a message of the service itself. */
  async sendOwn(
    channel: ChannelOf,
    type: 'notice.test' | 'channel.off',
    id: string,
    title: string,
    body: string,
  ): Promise<Sent> {
    return this.#send(
      channel,
      ownMessage(type, id, title, body, channel.language, this.address.root),
    );
  }

  async #send(channel: ChannelOf, message: NoticeMessage, signal?: AbortSignal): Promise<Sent> {
    const { form, kind, userId } = channel;
    const address = this.box.open(channel);
    const { id, title, body, readerUrl } = message;
    switch (kind) {
      case 'push':
        return this.push.send(message, address, signal);
      case 'mail': {
        const text = `${body.replaceAll('\n', '\n\n')}\n\n${readerUrl}`;
        const sent = await this.recipients.mail({ userId, subject: title, text, id }, signal);
        return sent.result === 'sent' ? SENT : { channel: 'stays', afterSeconds: null, ...sent };
      }
      case 'app':
        return this.#tellApp(address.appId, userId, message, signal);
      case 'webhook':
        return this.webhooks.send(message, form ?? 'standard', address, signal);
    }
  }

  async #tellApp(
    appId: string,
    userId: string,
    { type, id, title, body, rule, count, items, urgent }: NoticeMessage,
    signal: AbortSignal | undefined,
  ): Promise<Sent> {
    const data = { type, id, title, text: body, rule, count, items, urgent };
    try {
      const status = await this.apps.service?.tell(appId, userId, data, signal);
      if (status === undefined || status === null) {
        return later(`The external app "${appId}" does not listen for articles at the moment.`);
      }
      const error = `The external app "${appId}" answered with status ${status}.`;
      return status >= 200 && status < 300 ? SENT : later(error);
    } catch (error) {
      return later((error as Error).message);
    }
  }
}
