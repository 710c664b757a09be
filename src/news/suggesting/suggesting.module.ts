import { Subject } from '../../common/subjects/subject.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { FeedsModule } from '../reader/feeds/feeds.module.js';
import { SuggestionsController } from './suggestions.controller.js';
import { SuggestionsRepository } from './suggestions.repository.js';
import { SuggestionsService } from './suggestions.service.js';

/** Suggestions of feeds to people who know no address. */
@Subject({
  imports: [DeliveryModule, FeedsModule],
  controllers: [SuggestionsController],
  providers: [SuggestionsRepository, SuggestionsService],
})
export class SuggestingModule {}
