import { Subject } from '../../../common/subjects/subject.js';
import { PreferencesRepository, UserPreferenceEntity } from './preferences.repository.js';
import { PreferencesService } from './preferences.service.js';
import { UserPreferencesController } from './user-preferences.controller.js';

@Subject({
  controllers: [UserPreferencesController],
  providers: [PreferencesRepository, PreferencesService],
  exports: [PreferencesService],
  entities: [UserPreferenceEntity],
})
export class PreferencesModule {}
