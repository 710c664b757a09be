import { Subject } from '../../../common/subjects/subject.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { ItemLabelEntity, LabelEntity, LabelsRepository } from './labels.repository.js';
import { LabelsService } from './labels.service.js';
import { LabelsV13Controller } from './labels.v1-3.controller.js';

/** Labels that users put on items. */
@Subject({
  imports: [DeliveryModule],
  controllers: [LabelsV13Controller],
  providers: [LabelsService, LabelsRepository],
  exports: [LabelsRepository, LabelsService],
  entities: [ItemLabelEntity, LabelEntity],
})
export class LabelsModule {}
