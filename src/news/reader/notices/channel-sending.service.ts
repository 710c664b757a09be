import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { DAY_SECONDS } from '../../../common/units.js';
import { ChannelBox } from './channel-box.service.js';
import { ChannelsRepository, type Channel } from './channels.repository.js';
import type { Sent } from './notice-channel.js';
import type { NoticeMessage } from './notice-message.js';
import { NoticesSettings } from './notices.settings.js';
import { Webhooks } from './webhook.service.js';

/** A channel with its reader. */
export type ChannelOf = Channel & { readonly readerId: number; readonly userId: string };

/** Sends messages by channels of any kind. */
@Injectable()
export class ChannelSending {
  constructor(
    private readonly channels: ChannelsRepository,
    private readonly box: ChannelBox,
    private readonly webhooks: Webhooks,
    private readonly settings: NoticesSettings,
    private readonly address: PublicAddress,
    private readonly clock: Clock,
  ) {}

  get root(): string {
    return this.address.root;
  }

  /** @param noticeId for the buttons of a message about one item; null: none */
  async send(
    channel: ChannelOf,
    message: NoticeMessage,
    noticeId: number | null,
    signal?: AbortSignal,
  ): Promise<Sent> {
    const { form, userId } = channel;
    return this.webhooks.send(message, { form, userId, address: this.box.open(channel) }, signal);
  }

  /** Removes a channel that is gone, switches one off after days of failure, and says so. */
  async noteFailure(channel: ChannelOf, sent: Exclude<Sent, { result: 'sent' }>): Promise<void> {
    const { readerId, id, failingSince, targetKey } = channel;
    const now = this.clock.now();
    if (sent.result === 'refused' && sent.channel === 'is removed') {
      await this.channels.remove(readerId, id, targetKey);
      return;
    }
    const failingMs = now.getTime() - (failingSince ?? now).getTime();
    const isOff =
      (sent.result === 'refused' && sent.channel === 'is off') ||
      failingMs >= this.settings.noticeFailureDays * DAY_SECONDS * 1000;
    await this.channels.noteFailure(readerId, id, sent.error, now, isOff ? sent.error : null);
  }
}
