import { Subject } from '../../../common/subjects/subject.js';
import { RefreshingModule } from '../refreshing/refreshing.module.js';
import { UpdateScheduleModule } from '../schedule/schedule.module.js';
import { FaviconsService } from './favicons.service.js';
import { IconFinder } from './find-icon.service.js';
import { IconsRepository } from './icons.repository.js';

/** Icons of sources. */
@Subject({
  imports: [RefreshingModule, UpdateScheduleModule],
  providers: [IconFinder, FaviconsService, IconsRepository],
  exports: [FaviconsService, IconsRepository],
})
export class FaviconsModule {}
