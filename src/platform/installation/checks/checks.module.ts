import { Subject } from '../../../common/subjects/subject.js';
import { ChecksController } from './checks.controller.js';
import { PartsCheck } from './parts.checks.js';

/** Checks of the installation, for administrators. */
@Subject({
  controllers: [ChecksController],
  providers: [PartsCheck],
})
export class InstallationChecksModule {}
