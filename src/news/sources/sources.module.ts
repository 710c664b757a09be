import { Subject } from '../../common/subjects/subject.js';
import { SourcesRepository } from './sources.repository.js';

/** Sources, once for all users. */
@Subject({
  providers: [SourcesRepository],
  exports: [SourcesRepository],
})
export class SourcesModule {}
