import { Subject } from '../../../common/subjects/subject.js';
import { FailedDocumentEntity, FetchAttemptEntity } from './fetch-history.entity.js';
import { FetchHistoryRepository } from './fetch-history.repository.js';

/** The last fetches of each source. */
@Subject({
  providers: [FetchHistoryRepository],
  exports: [FetchHistoryRepository],
  entities: [FailedDocumentEntity, FetchAttemptEntity],
})
export class FetchHistoryModule {}
