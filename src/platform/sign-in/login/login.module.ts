import { Subject } from '../../../common/subjects/subject.js';
import { LoginFormsModule } from '../forms/forms.module.js';
import { PasswordLoginModule } from '../passwords/passwords.module.js';
import { SecondFactorModule } from '../second-factor/second-factor.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { LoginController, LogoutController } from './login.controller.js';
import { ProviderLogoutOffer } from './provider-logout.offer.js';

/** Log-in and log-out with a form. */
@Subject({
  imports: [LoginFormsModule, PasswordLoginModule, SecondFactorModule, SessionsModule],
  controllers: [LoginController, LogoutController],
  providers: [ProviderLogoutOffer],
  exports: [ProviderLogoutOffer],
})
export class LoginModule {}
