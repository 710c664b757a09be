import { ProgramLogins } from '../../../common/ports/program-logins.js';
import { UserDirectory, UserDirectoryOffer } from '../../../common/ports/user-directory.js';
import { Subject, offered } from '../../../common/subjects/subject.js';
import { SecurityEventsModule } from '../../accounts/security/security.module.js';
import { UsersModule } from '../../accounts/users/users.module.js';
import { AppPasswordsModule } from '../app-passwords/app-passwords.module.js';
import { PasswordLoginModule } from '../passwords/passwords.module.js';
import { ThrottleModule } from '../throttle/throttle.module.js';
import { ProgramLoginsService } from './program-logins.service.js';
import { UserDirectoryService } from './user-directory.service.js';

/** Checks passwords, app passwords and logins of programs. */
@Subject({
  imports: [
    AppPasswordsModule,
    PasswordLoginModule,
    SecurityEventsModule,
    ThrottleModule,
    UsersModule,
  ],
  providers: [
    UserDirectoryService,
    { provide: ProgramLogins, useClass: ProgramLoginsService },
    { provide: UserDirectory, useExisting: UserDirectoryService },
    offered(UserDirectoryOffer, UserDirectoryService),
  ],
  exports: [ProgramLogins, UserDirectory, UserDirectoryService],
})
export class CredentialsModule {}
