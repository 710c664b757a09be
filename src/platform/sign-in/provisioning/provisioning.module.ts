import { Subject } from '../../../common/subjects/subject.js';
import { GroupsModule } from '../../accounts/groups/groups.module.js';
import { UsersModule } from '../../accounts/users/users.module.js';
import { MailModule } from '../../installation/mail/mail.module.js';
import { AppPasswordsModule } from '../app-passwords/app-passwords.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { PasswordLinksModule } from '../password-links/password-links.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { AccountListController } from './account-list.controller.js';
import { ProvisioningService } from './provisioning.service.js';
import { UsersController } from './users.controller.js';

/** Creates and changes accounts by the provisioning API. */
@Subject({
  imports: [
    AppPasswordsModule,
    CredentialsModule,
    GroupsModule,
    MailModule,
    PasswordLinksModule,
    SessionsModule,
    UsersModule,
  ],
  controllers: [AccountListController, UsersController],
  providers: [ProvisioningService],
})
export class ProvisioningModule {}
