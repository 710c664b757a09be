import { Subject } from '../../../common/subjects/subject.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { ItemsModule } from '../items/items.module.js';
import { StreamsRepository } from './streams.repository.js';
import { StreamsService } from './streams.service.js';

/** Lists of items by date, for Google Reader clients and pages. */
@Subject({
  imports: [DeliveryModule, ItemsModule],
  providers: [StreamsService, StreamsRepository],
  exports: [StreamsService],
})
export class StreamsModule {}
