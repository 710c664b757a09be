import { Subject } from '../../../common/subjects/subject.js';
import { ArticlesModule } from '../articles/articles.module.js';
import { FeedFetchModule } from '../fetch/fetch.module.js';
import { UpdateScheduleModule } from '../schedule/schedule.module.js';
import { SourcesModule } from '../sources.module.js';
import { NetworkOutageDetector } from './network-outage-detector.service.js';
import { SourceRefresher } from './source-refresher.service.js';

/** Fetches a source and stores new articles. */
@Subject({
  imports: [ArticlesModule, FeedFetchModule, SourcesModule, UpdateScheduleModule],
  providers: [SourceRefresher, NetworkOutageDetector],
  exports: [NetworkOutageDetector, SourceRefresher],
})
export class RefreshingModule {}
