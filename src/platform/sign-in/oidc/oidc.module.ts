import { Subject } from '../../../common/subjects/subject.js';
import { GroupsModule } from '../../accounts/groups/groups.module.js';
import { UsersModule } from '../../accounts/users/users.module.js';
import { LoginFormsModule } from '../forms/forms.module.js';
import { LoginModule } from '../login/login.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { IdentityProvider } from './identity-provider.service.js';
import { OidcAccountsService } from './oidc-accounts.service.js';
import { OidcLoginService, OidcLogoutService } from './oidc-login.service.js';
import { OidcLogoutController, OidcController } from './oidc.controller.js';
import { OidcSessionEntity } from './oidc.entities.js';
import { OidcRepository } from './oidc.repository.js';

/** Log-in with an OpenID provider. */
@Subject({
  imports: [GroupsModule, LoginFormsModule, LoginModule, SessionsModule, UsersModule],
  controllers: [OidcController, OidcLogoutController],
  providers: [
    IdentityProvider,
    OidcAccountsService,
    OidcLoginService,
    OidcLogoutService,
    OidcRepository,
  ],
  entities: [OidcSessionEntity],
})
export class OidcModule {}
