import { registerAppApiConfigCommands } from './config-values.commands.js';
import { ConfigValuesController } from './config-values.controller.js';
import { ConfigValuesService } from './config-values.service.js';
import { ExAppValueEntity } from './ex-app-value.entity.js';
import { PreferencesController } from './preferences.controller.js';
import { PreferencesService } from './preferences.service.js';
import { ValuesRepository } from './values.repository.js';
import { Subject } from '../../common/subjects/subject.js';

/** Configuration values and preferences of external apps. */
@Subject({
  controllers: [ConfigValuesController, PreferencesController],
  providers: [ConfigValuesService, PreferencesService, ValuesRepository],
  exports: [ConfigValuesService, PreferencesService, ValuesRepository],
  entities: [ExAppValueEntity],
  commands: [registerAppApiConfigCommands],
})
export class AppValuesModule {}
