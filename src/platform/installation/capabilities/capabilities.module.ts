import { Subject } from '../../../common/subjects/subject.js';
import {
  AppsController,
  CapabilitiesController,
  StatusPhpController,
} from './capabilities.controller.js';
import { CoreCapabilities } from './core.capabilities.js';

/** Capabilities and version, for clients. */
@Subject({
  controllers: [AppsController, CapabilitiesController, StatusPhpController],
  providers: [CoreCapabilities],
})
export class CapabilitiesModule {}
