import { Subject } from '../../../common/subjects/subject.js';
import { FetchHistoryRepository } from './fetch-history.repository.js';

/** The last fetches of each source. */
@Subject({
  providers: [FetchHistoryRepository],
  exports: [FetchHistoryRepository],
})
export class FetchHistoryModule {}
