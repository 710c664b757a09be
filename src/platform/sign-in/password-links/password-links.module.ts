import { Subject } from '../../../common/subjects/subject.js';
import { AccountPasswordsModule } from '../../accounts/passwords/passwords.module.js';
import { PreferencesModule } from '../../accounts/preferences/preferences.module.js';
import { SecurityEventsModule } from '../../accounts/security/security.module.js';
import { UsersModule } from '../../accounts/users/users.module.js';
import { MailModule } from '../../installation/mail/mail.module.js';
import { AppPasswordsModule } from '../app-passwords/app-passwords.module.js';
import { ThrottleModule } from '../throttle/throttle.module.js';
import { AddressChecks } from './address.checks.js';
import { InvitationsService } from './invitations.service.js';
import { LinkPasswordsService } from './link-passwords.service.js';
import { PasswordLinksController } from './password-links.controller.js';
import { PasswordLinkEntity, PasswordLinksRepository } from './password-links.repository.js';
import { PasswordMailTexts } from './password-mail-texts.service.js';
import { PasswordMails } from './password-mails.service.js';
import { ResetRequestsService } from './reset-requests.service.js';

/** Links in mails for new passwords and invitations. */
@Subject({
  imports: [
    AccountPasswordsModule,
    AppPasswordsModule,
    MailModule,
    PreferencesModule,
    SecurityEventsModule,
    ThrottleModule,
    UsersModule,
  ],
  controllers: [PasswordLinksController],
  providers: [
    InvitationsService,
    LinkPasswordsService,
    AddressChecks,
    PasswordLinksRepository,
    PasswordMailTexts,
    PasswordMails,
    ResetRequestsService,
  ],
  exports: [InvitationsService],
  entities: [PasswordLinkEntity],
})
export class PasswordLinksModule {}
