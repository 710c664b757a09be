import { Subject } from '../../common/subjects/subject.js';
import { FetchHistoryModule } from '../sources/history/history.module.js';
import { SourceListsRepository } from './source-lists.repository.js';
import { StatisticsService } from './statistics.service.js';
import { StatisticsV13Controller } from './statistics.v1-3.controller.js';

/** Figures about sources and readers. */
@Subject({
  imports: [FetchHistoryModule],
  controllers: [StatisticsV13Controller],
  providers: [StatisticsService, SourceListsRepository],
  exports: [SourceListsRepository],
})
export class StatisticsModule {}
