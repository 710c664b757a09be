import { Subject } from '../../../common/subjects/subject.js';
import { NotificationsModule } from '../../../platform/notifications/notifications.module.js';
import { ThrottleModule } from '../../../platform/sign-in/throttle/throttle.module.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { ItemsModule } from '../items/items.module.js';
import { CertificateNotices } from './certificate-notices.task.js';
import { ChannelBox } from './channel-box.service.js';
import { ChannelFailures } from './channel-failures.service.js';
import { ChannelSending } from './channel-sending.service.js';
import { ChannelTargets } from './channel-targets.service.js';
import { ChannelsRepository } from './channels.repository.js';
import { ChannelsService } from './channels.service.js';
import { ChannelsV13Controller, FailingChannelsController } from './channels.v1-3.controller.js';
import { EndingCertificatesRepository } from './ending-certificates.repository.js';
import { NoticeSending } from './notice-sending.task.js';
import { NoticeTransfers } from './notice-transfers.service.js';
import {
  NoticeChannelEntity,
  NoticeEntity,
  NoticeSettingsEntity,
  PushKeyEntity,
} from './notice.entities.js';
import { NoticesRepository } from './notices.repository.js';
import { NoticesService } from './notices.service.js';
import {
  NoticeButtonsController,
  NoticesV13Controller,
  SendingOnController,
} from './notices.v1-3.controller.js';
import { PushService } from './push.service.js';
import { SealedWebhooks } from './sealed-webhooks.service.js';
import { Webhooks } from './webhook.service.js';

/** Tells users of articles while they are away: channels, outbox, and the list of what was told. */
@Subject({
  imports: [DeliveryModule, ItemsModule, NotificationsModule, ThrottleModule],
  controllers: [
    ChannelsV13Controller,
    FailingChannelsController,
    NoticeButtonsController,
    NoticesV13Controller,
    SendingOnController,
  ],
  providers: [
    CertificateNotices,
    EndingCertificatesRepository,
    ChannelBox,
    ChannelFailures,
    ChannelSending,
    ChannelTargets,
    ChannelsRepository,
    ChannelsService,
    NoticeSending,
    NoticeTransfers,
    NoticesRepository,
    NoticesService,
    PushService,
    SealedWebhooks,
    Webhooks,
  ],
  exports: [ChannelsRepository, NoticesRepository, NoticesService, NoticeTransfers, SealedWebhooks],
  entities: [NoticeChannelEntity, NoticeEntity, NoticeSettingsEntity, PushKeyEntity],
})
export class NoticesModule {}
