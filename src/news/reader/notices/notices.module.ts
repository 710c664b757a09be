import { Subject } from '../../../common/subjects/subject.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { ItemsModule } from '../items/items.module.js';
import { ChannelBox } from './channel-box.service.js';
import { ChannelSending } from './channel-sending.service.js';
import { ChannelTargets } from './channel-targets.service.js';
import { ChannelsRepository } from './channels.repository.js';
import { ChannelsService } from './channels.service.js';
import { ChannelsV13Controller } from './channels.v1-3.controller.js';
import { NoticeSending } from './notice-sending.task.js';
import {
  NoticeChannelEntity,
  NoticeEntity,
  NoticeSettingsEntity,
  PushKeyEntity,
} from './notice.entities.js';
import { NoticesRepository } from './notices.repository.js';
import { NoticesService } from './notices.service.js';
import { Webhooks } from './webhook.service.js';

/** Tells users of articles while they are away: channels, outbox, and the list of what was told. */
@Subject({
  imports: [DeliveryModule, ItemsModule],
  controllers: [ChannelsV13Controller],
  providers: [
    ChannelBox,
    ChannelSending,
    ChannelTargets,
    ChannelsRepository,
    ChannelsService,
    NoticeSending,
    NoticesRepository,
    NoticesService,
    Webhooks,
  ],
  exports: [ChannelsRepository, NoticesRepository, NoticesService],
  entities: [NoticeChannelEntity, NoticeEntity, NoticeSettingsEntity, PushKeyEntity],
})
export class NoticesModule {}
