import { Subject } from '../../../common/subjects/subject.js';
import { AccountPasswordsModule } from '../../accounts/passwords/passwords.module.js';
import { SecurityEventsModule } from '../../accounts/security/security.module.js';
import { UsersModule } from '../../accounts/users/users.module.js';
import { ThrottleModule } from '../throttle/throttle.module.js';
import { AccountPasswordGuard } from './account-password.guard.js';
import { CredentialVerifier } from './credential-verifier.service.js';
import { SecondFactorRule } from './login.service.js';
import { LoginService } from './login.service.js';
import { OwnPasswordController } from './own-password.controller.js';
import { PasswordDirectoryOffer } from './password-directory.offer.js';
import { PasswordLoginCheck } from './password-login.checks.js';

/** Log-in with the password of the account. */
@Subject({
  imports: [AccountPasswordsModule, SecurityEventsModule, ThrottleModule, UsersModule],
  controllers: [OwnPasswordController],
  providers: [
    AccountPasswordGuard,
    CredentialVerifier,
    LoginService,
    SecondFactorRule,
    PasswordDirectoryOffer,
    PasswordLoginCheck,
  ],
  exports: [LoginService, PasswordDirectoryOffer, SecondFactorRule],
})
export class PasswordLoginModule {}
