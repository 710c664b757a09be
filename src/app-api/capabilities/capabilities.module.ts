import { registrationController } from './capabilities.controller.js';
import { ExAppRegistrationEntity } from './ex-app-registration.entity.js';
import { INITIAL_STATE } from './initial-state.js';
import { SCRIPT, STYLE } from './page-files.js';
import { RegistrationsRepository } from './registrations.repository.js';
import { RegistrationsService } from './registrations.service.js';
import { TOP_MENU } from './top-menu.js';
import { UiContributionsService } from './ui-contributions.service.js';
import { Subject } from '../../common/subjects/subject.js';

/** What external apps have registered, and what of it pages show. */
@Subject({
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
