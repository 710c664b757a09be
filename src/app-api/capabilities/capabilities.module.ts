import { Subject } from '../../common/subjects/subject.js';
import { AppsModule } from '../apps/apps.module.js';
import { registrationController } from './capabilities.controller.js';
import { INITIAL_STATE, SCRIPT, STYLE, TOP_MENU } from './page-resources.js';
import { ExAppRegistrationEntity, RegistrationsRepository } from './registrations.repository.js';
import { RegistrationsService } from './registrations.service.js';
import { UiContributionsService } from './ui-contributions.service.js';

/** Registrations of external apps, and their contributions to pages. */
@Subject({
  imports: [AppsModule],
  controllers: [
    registrationController(TOP_MENU),
    registrationController(INITIAL_STATE),
    registrationController(SCRIPT),
    registrationController(STYLE),
  ],
  providers: [RegistrationsService, RegistrationsRepository, UiContributionsService],
  exports: [RegistrationsRepository, RegistrationsService],
  entities: [ExAppRegistrationEntity],
})
export class RegistrationsModule {}
