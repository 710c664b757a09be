import { Subject } from '../../common/subjects/subject.js';
import { UpdaterModule } from '../updater/updater.module.js';
import { LevelsController, ServiceController } from './service.controller.js';

/** Information about the service: version, status, user, and levels of the API. */
@Subject({
  imports: [UpdaterModule],
  controllers: [LevelsController, ServiceController],
})
export class NewsServiceModule {}
