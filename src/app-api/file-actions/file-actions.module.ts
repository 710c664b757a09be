import { Subject } from '../../common/subjects/subject.js';
import { AppsModule } from '../apps/apps.module.js';
import { registrationController } from '../capabilities/capabilities.controller.js';
import { RegistrationsModule } from '../capabilities/capabilities.module.js';
import { FILE_ACTION, FILE_ACTION_V1 } from './file-action.js';
import { FileActionsController } from './file-actions.controller.js';
import { FileActionsService } from './file-actions.service.js';

@Subject({
  imports: [AppsModule, RegistrationsModule],
  controllers: [
    registrationController(FILE_ACTION_V1),
    registrationController(FILE_ACTION),
    FileActionsController,
  ],
  providers: [FileActionsService],
})
export class FileActionsModule {}
