import { Subject } from '../../../common/subjects/subject.js';
import { GroupsModule } from '../../accounts/groups/groups.module.js';
import { UsersModule } from '../../accounts/users/users.module.js';
import { LoginFormsModule } from '../forms/forms.module.js';
import { LoginModule } from '../login/login.module.js';
import { HandshakeCookie } from './handshake-cookie.js';
import { IdentityProvider } from './identity-provider.js';
import { OidcAccountsService } from './oidc-accounts.service.js';
import { OidcIdentityEntity } from './oidc-identity.entity.js';
import { OidcLoginService } from './oidc-login.service.js';
import { OidcLogoutController } from './oidc-logout.controller.js';
import { OidcLogoutService } from './oidc-logout.service.js';
import { OidcSessionEntity } from './oidc-session.entity.js';
import { OidcController } from './oidc.controller.js';
import { OidcRepository } from './oidc.repository.js';
import { SessionsModule } from '../sessions/sessions.module.js';

/** Log-in with an OpenID provider. */
@Subject({
  imports: [GroupsModule, LoginFormsModule, LoginModule, SessionsModule, UsersModule],
  controllers: [OidcController, OidcLogoutController],
  providers: [
    HandshakeCookie,
    IdentityProvider,
    OidcAccountsService,
    OidcLoginService,
    OidcLogoutService,
    OidcRepository,
  ],
  entities: [OidcIdentityEntity, OidcSessionEntity],
})
export class OidcModule {}
