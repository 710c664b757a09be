import { Sessions, SessionsOffer } from '../../../common/ports/sessions.js';
import { Subject, offered } from '../../../common/subjects/subject.js';
import { SecurityEventsModule } from '../../accounts/security/security.module.js';
import { UsersModule } from '../../accounts/users/users.module.js';
import { PasswordLoginModule } from '../passwords/passwords.module.js';
import { BrowserSessions } from './browser-sessions.service.js';
import { SessionCookie } from './session-cookie.service.js';
import { registerSessionCommands } from './sessions.commands.js';
import { SessionsController } from './sessions.controller.js';
import { GrantsOffer, LoginSessionEntity, SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

/** Sessions of browsers. */
@Subject({
  imports: [PasswordLoginModule, SecurityEventsModule, UsersModule],
  controllers: [SessionsController],
  providers: [
    BrowserSessions,
    GrantsOffer,
    SessionCookie,
    SessionsRepository,
    SessionsService,
    { provide: Sessions, useExisting: SessionsService },
    offered(SessionsOffer, SessionsService),
  ],
  exports: [BrowserSessions, GrantsOffer, SessionCookie, Sessions, SessionsService],
  entities: [LoginSessionEntity],
  commands: [registerSessionCommands],
})
export class SessionsModule {}
