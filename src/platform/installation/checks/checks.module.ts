import { Subject } from '../../../common/subjects/subject.js';
import { ChecksController } from './checks.controller.js';
import { PartsCheck } from './parts-check.js';
import { ChecksService } from './checks.service.js';

/** Checks of the installation, for administrators. */
@Subject({
  controllers: [ChecksController],
  providers: [ChecksService, PartsCheck],
})
export class InstallationChecksModule {}
