import { Subject } from '../../../common/subjects/subject.js';
import { HostStateEntity } from './host-state.entity.js';
import { ScheduleRepository } from './schedule.repository.js';
import { SourceScheduleEntity } from './source-schedule.entity.js';
import { UpdatePlanner } from './update-planner.js';

/** When each source is fetched next. */
@Subject({
  providers: [UpdatePlanner, ScheduleRepository],
  exports: [ScheduleRepository, UpdatePlanner],
  entities: [HostStateEntity, SourceScheduleEntity],
})
export class UpdateScheduleModule {}
