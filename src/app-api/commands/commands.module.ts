import { Subject } from '../../common/subjects/subject.js';
import { AppsModule } from '../apps/apps.module.js';
import { registrationController } from '../capabilities/capabilities.controller.js';
import { RegistrationsModule } from '../capabilities/capabilities.module.js';
import { CommandExecutionService } from './command-execution.service.js';
import { registerExAppCommands } from './ex-app-commands.js';
import { OCC_COMMAND } from './occ-command.js';

/** Commands of external apps on the command line. */
@Subject({
  imports: [AppsModule, RegistrationsModule],
  controllers: [registrationController(OCC_COMMAND)],
  providers: [CommandExecutionService],
  commands: [registerExAppCommands],
})
export class OccCommandsModule {}
