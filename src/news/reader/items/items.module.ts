import { Subject } from '../../../common/subjects/subject.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { ItemsController } from './items.controller.js';
import { ItemsRepository } from './items.repository.js';
import { ItemsService } from './items.service.js';
import { ItemsV12Controller } from './items.v1-2.controller.js';
import { ItemsV13Controller } from './items.v1-3.controller.js';
import { QueriedArticlesRepository } from './queried-articles.repository.js';
import { UserPlacesRepository } from './user-places.repository.js';

/** Items of users: lists, and flags read and starred. */
@Subject({
  imports: [DeliveryModule],
  controllers: [ItemsController, ItemsV12Controller, ItemsV13Controller],
  providers: [ItemsService, ItemsRepository, QueriedArticlesRepository, UserPlacesRepository],
  exports: [ItemsRepository, ItemsService, QueriedArticlesRepository, UserPlacesRepository],
})
export class ItemsModule {}
