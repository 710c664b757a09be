import { Subject } from '../../../common/subjects/subject.js';
import { FeedAccessModule } from '../access/access.module.js';
import { FeedFetchModule } from '../fetch/fetch.module.js';
import { RefreshingModule } from '../refreshing/refreshing.module.js';
import { UpdateScheduleModule } from '../schedule/schedule.module.js';
import { SourcesModule } from '../sources.module.js';
import { FeedDiscovery } from './feed-discovery.service.js';
import { SourceFinder } from './source-finder.service.js';

/** Finds the feed of an address, and its source. */
@Subject({
  imports: [
    FeedAccessModule,
    FeedFetchModule,
    RefreshingModule,
    SourcesModule,
    UpdateScheduleModule,
  ],
  providers: [FeedDiscovery, SourceFinder],
  exports: [FeedDiscovery, SourceFinder],
})
export class SourceFindingModule {}
