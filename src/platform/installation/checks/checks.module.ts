import { Subject } from '../../../common/subjects/subject.js';
import { AuthoritiesCheck } from './authorities.checks.js';
import { ChecksController } from './checks.controller.js';
import { PartsCheck } from './parts.checks.js';

/** Checks of the installation, for administrators. */
@Subject({
  controllers: [ChecksController],
  providers: [AuthoritiesCheck, PartsCheck],
})
export class InstallationChecksModule {}
