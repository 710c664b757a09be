import { Subject } from '../../../common/subjects/subject.js';
import { HostStateEntity, SourceScheduleEntity } from './schedule.entity.js';
import { ScheduleRepository } from './schedule.repository.js';
import { UpdatePlanner } from './update-planner.js';

/** Due dates of sources. */
@Subject({
  providers: [UpdatePlanner, ScheduleRepository],
  exports: [ScheduleRepository, UpdatePlanner],
  entities: [HostStateEntity, SourceScheduleEntity],
})
export class UpdateScheduleModule {}
