import { Subject } from '../../../common/subjects/subject.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { RowsRepository } from './rows.repository.js';
import { RowsService } from './rows.service.js';
import { RowsV13Controller } from './rows.v1-3.controller.js';

/** Lists of items as the pages show them. */
@Subject({
  imports: [DeliveryModule],
  controllers: [RowsV13Controller],
  providers: [RowsService, RowsRepository],
  exports: [RowsRepository],
})
export class RowsModule {}
