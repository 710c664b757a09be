import { Subject } from '../../../common/subjects/subject.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliveryService } from './delivery.service.js';
import { FollowerRows } from './follower-rows.repository.js';
import { ItemDatesRepository } from './item-dates.repository.js';
import { ReaderClientsRepository } from './reader-clients.repository.js';
import { ReaderIds } from './reader-ids.repository.js';
import { ReaderLocks } from './reader-locks.repository.js';
import { ReadersRepository } from './readers.repository.js';

/** Delivers articles to followers as items, in the order of the law of ids. */
@Subject({
  providers: [
    DeliveryService,
    DeliveriesRepository,
    ItemDatesRepository,
    ReaderClientsRepository,
    FollowerRows,
    ReaderIds,
    ReaderLocks,
    ReadersRepository,
  ],
  exports: [
    DeliveriesRepository,
    DeliveryService,
    ItemDatesRepository,
    ReaderClientsRepository,
    ReaderIds,
    ReadersRepository,
  ],
})
export class DeliveryModule {}
