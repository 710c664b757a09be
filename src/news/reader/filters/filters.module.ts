import { Subject } from '../../../common/subjects/subject.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { FeedsModule } from '../feeds/feeds.module.js';
import { FiltersRepository } from './filters.repository.js';
import { FiltersService } from './filters.service.js';
import { FiltersV13Controller } from './filters.v1-3.controller.js';

/** Rules of users for which new articles they get, and how. */
@Subject({
  imports: [DeliveryModule, FeedsModule],
  controllers: [FiltersV13Controller],
  providers: [FiltersService, FiltersRepository],
  exports: [FiltersService],
})
export class FiltersModule {}
