import { Subject } from '../../../common/subjects/subject.js';
import { AppsModule } from '../../apps/apps.module.js';
import { registrationController } from '../../capabilities/capabilities.controller.js';
import { RegistrationsModule } from '../../capabilities/capabilities.module.js';
import { TaskCatalogue } from './task-catalogue.service.js';
import { TASK_PROVIDER } from './task-provider.js';
import {
  TaskTypeSettingEntity,
  TaskTypeSettingsRepository,
} from './task-type-settings.repository.js';

/** Types of tasks, and the apps that work on them. */
@Subject({
  imports: [AppsModule, RegistrationsModule],
  controllers: [registrationController(TASK_PROVIDER)],
  providers: [TaskCatalogue, TaskTypeSettingsRepository],
  exports: [TaskCatalogue, TaskTypeSettingsRepository],
  entities: [TaskTypeSettingEntity],
})
export class TaskProvidersModule {}
