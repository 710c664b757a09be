import { Subject } from '../../../common/subjects/subject.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { NewsEventDispatch } from './news-event-dispatch.service.js';
import { NewsEventsRepository } from './news-events.repository.js';

/** Events about items and feeds, for external apps. */
@Subject({
  imports: [DeliveryModule],
  providers: [NewsEventDispatch, NewsEventsRepository],
})
export class NewsEventsModule {}
