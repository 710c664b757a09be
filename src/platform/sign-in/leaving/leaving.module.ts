import { Subject } from '../../../common/subjects/subject.js';
import { SecurityEventsModule } from '../../accounts/security/security.module.js';
import { UsersModule } from '../../accounts/users/users.module.js';
import { MailModule } from '../../installation/mail/mail.module.js';
import { NotificationsModule } from '../../notifications/notifications.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { LeavingMessages } from './leaving-messages.service.js';
import { LeavingChecks } from './leaving.checks.js';
import { registerLeavingCommands } from './leaving.commands.js';
import { LeavingAdminController, LeavingController } from './leaving.controller.js';
import { LeavingRepository } from './leaving.repository.js';
import { LeavingService } from './leaving.service.js';

/** Deletion of accounts at the wish of their owners. */
@Subject({
  imports: [MailModule, NotificationsModule, SecurityEventsModule, SessionsModule, UsersModule],
  controllers: [LeavingController, LeavingAdminController],
  providers: [LeavingChecks, LeavingMessages, LeavingRepository, LeavingService],
  commands: [registerLeavingCommands],
})
export class LeavingModule {}
