import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { NotificationCenter } from '../../../common/ports/notification-center.js';
import { Recipients } from '../../../common/ports/recipients.js';
import { languageFrom } from '../../../common/texts/languages.js';
import { textIn } from '../../../common/texts/translations.js';
import { DAY_SECONDS, HOUR_SECONDS } from '../../../common/units.js';
import { Regularly } from '../../../database/regularly.js';
import { titleOrHost } from '../../news.wire.js';
import { SENDER } from './channel-failures.service.js';
import { EndingCertificatesRepository } from './ending-certificates.repository.js';

const BEFORE_SECONDS = 30 * DAY_SECONDS;
const AGAIN_SECONDS = 7 * DAY_SECONDS;

/** Tells followers, a month before and then weekly, that the client certificate of a feed ends. */
@Injectable()
export class CertificateNotices {
  constructor(
    private readonly certificates: EndingCertificatesRepository,
    private readonly center: NotificationCenter,
    private readonly recipients: Recipients,
    private readonly address: PublicAddress,
    private readonly clock: Clock,
  ) {}

  @Regularly('feed-certificates', HOUR_SECONDS)
  async tell(): Promise<void> {
    const now = this.clock.now();
    const due = await this.certificates.take(now, BEFORE_SECONDS, AGAIN_SECONDS);
    for (const { userId, feedId, title, url, endsSeconds } of due) {
      const about = {
        userId,
        appId: SENDER,
        objectType: 'feed-certificate',
        objectId: String(feedId),
      };
      const language = languageFrom(await this.recipients.languageOf(userId));
      const date = new Date(endsSeconds * 1000).toISOString().slice(0, 10);
      const values = { feed: titleOrHost(title, url), date };
      const text = (key: string) => ({
        text: textIn(language, 'notices', key, values),
        parameters: {},
      });
      await this.center.withdraw(about);
      await this.center.notify({
        ...about,
        subject: text('certificate'),
        message: text('certificateAdvice'),
        link: this.address.of(`apps/news/feeds/${feedId}`),
      });
    }
  }
}
