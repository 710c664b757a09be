import { Subject } from '../../common/subjects/subject.js';
import { HousekeepingEntity, SourceEntity, RemovedSourceEntity } from './source.entity.js';
import { SourcesRepository } from './sources.repository.js';

/** Sources, once for all users. */
@Subject({
  providers: [SourcesRepository],
  exports: [SourcesRepository],
  entities: [HousekeepingEntity, SourceEntity, RemovedSourceEntity],
})
export class SourcesModule {}
