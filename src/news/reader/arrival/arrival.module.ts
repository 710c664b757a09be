import { Subject } from '../../../common/subjects/subject.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { ArrivalWork } from './arrival-work.task.js';

/** Delivers articles as they arrive to readers who are told something, or whose tasks start by themselves. */
@Subject({
  imports: [DeliveryModule],
  providers: [ArrivalWork],
})
export class ArrivalModule {}
