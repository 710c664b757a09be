import { Subject } from '../../../common/subjects/subject.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { ItemsModule } from '../items/items.module.js';
import { ItemHighlightEntity } from './highlight.entity.js';
import { HighlightsRepository } from './highlights.repository.js';
import { HighlightsService } from './highlights.service.js';
import { HighlightsV13Controller } from './highlights.v1-3.controller.js';

/** Highlights of users in items, and their notes. */
@Subject({
  imports: [DeliveryModule, ItemsModule],
  controllers: [HighlightsV13Controller],
  providers: [HighlightsService, HighlightsRepository],
  entities: [ItemHighlightEntity],
})
export class HighlightsModule {}
