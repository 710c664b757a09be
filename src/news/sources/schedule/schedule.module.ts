import { Subject } from '../../../common/subjects/subject.js';
import { ScheduleRepository } from './schedule.repository.js';
import { UpdatePlanner } from './update-planner.service.js';

/** Due dates of sources. */
@Subject({
  providers: [UpdatePlanner, ScheduleRepository],
  exports: [ScheduleRepository, UpdatePlanner],
})
export class UpdateScheduleModule {}
