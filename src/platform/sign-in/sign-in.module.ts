import { Subject } from '../../common/subjects/subject.js';
import { AppPasswordsModule } from './app-passwords/app-passwords.module.js';
import { CredentialsModule } from './credentials/credentials.module.js';
import { LoginFormsModule } from './forms/forms.module.js';
import { LeavingModule } from './leaving/leaving.module.js';
import { LoginFlowModule } from './login-flow/login-flow.module.js';
import { LoginModule } from './login/login.module.js';
import { PasswordLinksModule } from './password-links/password-links.module.js';
import { PasswordLoginModule } from './passwords/passwords.module.js';
import { ProvisioningModule } from './provisioning/provisioning.module.js';
import { SecondFactorModule } from './second-factor/second-factor.module.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { ThrottleModule } from './throttle/throttle.module.js';
import { TrustedHeaderModule } from './trusted-header/trusted-header.module.js';

/** Sign-in of people and programs; LDAP, OpenID Connect and SCIM are parts of their own. */
@Subject({
  imports: [
    AppPasswordsModule,
    CredentialsModule,
    LeavingModule,
    LoginFlowModule,
    LoginFormsModule,
    LoginModule,
    PasswordLinksModule,
    PasswordLoginModule,
    ProvisioningModule,
    SecondFactorModule,
    SessionsModule,
    ThrottleModule,
    TrustedHeaderModule,
  ],
})
export class SignInModule {}
