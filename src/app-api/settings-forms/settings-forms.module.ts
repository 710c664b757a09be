import { Subject } from '../../common/subjects/subject.js';
import { registrationController } from '../capabilities/capabilities.controller.js';
import { RegistrationsModule } from '../capabilities/capabilities.module.js';
import { AppValuesModule } from '../values/values.module.js';
import { DeclarativeSettingsController } from './declarative-settings.controller.js';
import { SETTINGS_FORM } from './settings-form.js';
import { SettingsFormsService } from './settings-forms.service.js';

/** Forms of settings that external apps declare. */
@Subject({
  imports: [AppValuesModule, RegistrationsModule],
  controllers: [registrationController(SETTINGS_FORM), DeclarativeSettingsController],
  providers: [SettingsFormsService],
})
export class SettingsFormsModule {}
