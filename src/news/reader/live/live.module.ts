import { Subject } from '../../../common/subjects/subject.js';
import { UsersModule } from '../../../platform/accounts/users/users.module.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { FeedsModule } from '../feeds/feeds.module.js';
import { EventsV13Controller } from './events.v1-3.controller.js';
import { LiveUpdates } from './live-updates.service.js';

/** Streams of changes to open pages. */
@Subject({
  imports: [DeliveryModule, FeedsModule, UsersModule],
  controllers: [EventsV13Controller],
  providers: [LiveUpdates],
})
export class LiveUpdatesModule {}
