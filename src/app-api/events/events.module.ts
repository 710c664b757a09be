import { Subject } from '../../common/subjects/subject.js';
import { AppsModule } from '../apps/apps.module.js';
import { registrationController } from '../capabilities/capabilities.controller.js';
import { RegistrationsModule } from '../capabilities/capabilities.module.js';
import { EventDeliveryService } from './event-delivery.service.js';
import { EventPosts } from './event-posts.service.js';
import { EVENTS_LISTENER } from './events-listener.js';
import { ItemMatches } from './item-matches.service.js';
import { NewsEventDeliveryService } from './news-event-delivery.service.js';
import { UndeliveredEvents } from './undelivered-events.task.js';

@Subject({
  imports: [AppsModule, RegistrationsModule],
  controllers: [registrationController(EVENTS_LISTENER)],
  providers: [
    EventDeliveryService,
    EventPosts,
    ItemMatches,
    NewsEventDeliveryService,
    UndeliveredEvents,
  ],
  exports: [EventDeliveryService],
})
export class EventListenersModule {}
