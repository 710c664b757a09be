import { Subject } from '../../../common/subjects/subject.js';
import { AppsController } from './apps.controller.js';
import { CapabilitiesController } from './capabilities.controller.js';
import { CoreCapabilities } from './core-capabilities.js';
import { StatusPhpController } from './status-php.controller.js';

/** Capabilities and version, for clients. */
@Subject({
  controllers: [AppsController, CapabilitiesController, StatusPhpController],
  providers: [CoreCapabilities],
})
export class CapabilitiesModule {}
