import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { InstallationChecks } from '../../../common/ports/installation-checks.js';
import {
  NotificationCenter,
  NotificationSenders,
} from '../../../common/ports/notification-center.js';
import { sentenceIn, textIn } from '../../../common/texts/translations.js';
import { DAY_SECONDS } from '../../../common/units.js';
import { ChannelSending, type ChannelOf } from './channel-sending.service.js';
import { ChannelsRepository } from './channels.repository.js';
import type { Sent } from './notice-channel.js';
import { messageId } from './notice-message.js';
import { NoticesSettings } from './notices.settings.js';
import { savingFormOf } from './saving-forms.js';

/** Sender of notifications about the service itself. */
export const SENDER = 'gatefold';

/** Where users see their channels. */
const PAGE = 'settings/user/notices';

/** Notes failures of channels, removes or switches off those that are of no use, and says so. */
@Injectable()
export class ChannelFailures implements OnModuleInit {
  constructor(
    private readonly channels: ChannelsRepository,
    private readonly sending: ChannelSending,
    private readonly center: NotificationCenter,
    private readonly senders: NotificationSenders,
    private readonly settings: NoticesSettings,
    private readonly address: PublicAddress,
    private readonly clock: Clock,
    checks: InstallationChecks,
  ) {
    checks.add('Notices', async () => {
      const { length } = await channels.failing();
      const text = `${length} channels of users fail or were switched off.`;
      const advice = 'GET /apps/news/api/v1-3/admin/channels shows whose and why.';
      return length === 0 ? [] : [{ state: 'warning', text, advice }];
    });
  }

  onModuleInit(): void {
    this.senders.contribute(async () => [SENDER]);
  }

  /** @returns whether the channel is off, gone or another one from now on */
  async note(channel: ChannelOf, sent: Exclude<Sent, { result: 'sent' }>): Promise<boolean> {
    const { readerId, id, failingSinceSeconds, targetKey } = channel;
    const now = this.clock.now();
    if (sent.result === 'refused' && sent.channel === 'is removed') {
      // The browser may have renewed it meanwhile.
      await this.channels.remove(readerId, id, targetKey);
      return true;
    }
    const nowSeconds = Math.floor(now.getTime() / 1000);
    const failingSeconds = nowSeconds - (failingSinceSeconds ?? nowSeconds);
    const isOff =
      (sent.result === 'refused' && sent.channel === 'is off') ||
      failingSeconds >= this.settings.noticeFailureDays * DAY_SECONDS;
    const offReason = isOff ? sent.error : null;
    if (await this.channels.noteFailure(readerId, id, sent.error, now, offReason)) {
      await this.#tell(channel, sent.error);
    }
    return isOff;
  }

  /** In the notification center, and by the first other channel that works. */
  async #tell(channel: ChannelOf, error: string): Promise<void> {
    const { readerId, userId, language, id, name } = channel;
    const title = textIn(language, 'notices', 'off', { channel: name });
    const reason = sentenceIn(language, error);
    const body = textIn(language, 'notices', 'offReason', { reason });
    await this.center.notify({
      userId,
      appId: SENDER,
      objectType: 'notice-channel',
      objectId: String(id),
      subject: { text: title, parameters: {} },
      message: { text: body, parameters: {} },
      link: this.address.of(PAGE),
    });
    const others = (await this.channels.list(readerId)).filter(
      ({ enabled, failingSinceSeconds: since, form }) =>
        enabled && since === null && savingFormOf(form) === null,
    );
    for (const other of others) {
      const own = messageId('off', readerId, id);
      const to = { ...channel, ...other };
      const { result } = await this.sending.sendOwn(to, 'channel.off', own, title, body);
      if (result === 'sent') {
        return;
      }
    }
  }
}
