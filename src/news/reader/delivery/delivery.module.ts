import { Subject } from '../../../common/subjects/subject.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliveryService } from './delivery.service.js';
import { EarlyReadersRepository } from './early-readers.repository.js';
import { FollowerRowsRepository } from './follower-rows.repository.js';
import { GivenByGroupsOffer } from './given-by-groups.js';
import { ItemDatesRepository } from './item-dates.repository.js';
import { OutwardConditionsOffer } from './outward-conditions.js';
import { QuestionsOffer } from './questions.js';
import { ReaderClientsRepository } from './reader-clients.repository.js';
import { ReaderIdsRepository } from './reader-ids.repository.js';
import { ReaderLocksRepository } from './reader-locks.repository.js';
import { ReadersRepository } from './readers.repository.js';

/** Delivers articles to followers as items, in the order of the law of ids. */
@Subject({
  providers: [
    DeliveryService,
    DeliveriesRepository,
    EarlyReadersRepository,
    GivenByGroupsOffer,
    ItemDatesRepository,
    OutwardConditionsOffer,
    QuestionsOffer,
    ReaderClientsRepository,
    FollowerRowsRepository,
    ReaderIdsRepository,
    ReaderLocksRepository,
    ReadersRepository,
  ],
  exports: [
    DeliveriesRepository,
    DeliveryService,
    EarlyReadersRepository,
    GivenByGroupsOffer,
    ItemDatesRepository,
    OutwardConditionsOffer,
    QuestionsOffer,
    ReaderClientsRepository,
    ReaderIdsRepository,
    ReadersRepository,
  ],
})
export class DeliveryModule {}
