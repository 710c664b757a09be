import { Subject } from '../../common/subjects/subject.js';
import { registerAppApiConfigCommands } from './config-values.commands.js';
import { ValuesPart } from './values-part.service.js';
import { ConfigValuesController, PreferencesController } from './values.controller.js';
import { ExAppValueEntity, ValuesRepository } from './values.repository.js';
import { ValuesService } from './values.service.js';

/** Configuration values and preferences of external apps. */
@Subject({
  controllers: [ConfigValuesController, PreferencesController],
  providers: [ValuesPart, ValuesService, ValuesRepository],
  exports: [ValuesService, ValuesRepository],
  entities: [ExAppValueEntity],
  commands: [registerAppApiConfigCommands],
})
export class AppValuesModule {}
