import { Subject } from '../../../common/subjects/subject.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { ArrivalStoriesOffer } from './arrival-stories.offer.js';
import { ArrivalWork } from './arrival-work.task.js';
import { ArrivalsRepository } from './arrivals.repository.js';
import { ToldReaders } from './told-readers.service.js';

/** Delivers articles as they arrive to readers who are told something, or whose tasks start by themselves. */
@Subject({
  imports: [DeliveryModule],
  providers: [ArrivalStoriesOffer, ArrivalWork, ArrivalsRepository, ToldReaders],
  exports: [ArrivalStoriesOffer],
})
export class ArrivalModule {}
