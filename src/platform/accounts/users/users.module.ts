import { AccessChanges } from '../../../common/ports/access-changes.js';
import { UserAccounts } from '../../../common/ports/user-accounts.js';
import { Subject } from '../../../common/subjects/subject.js';
import { AccountPasswordsModule } from '../passwords/passwords.module.js';
import { SecurityEventsModule } from '../security/security.module.js';
import { AccessChangesService } from './access-changes.service.js';
import { AccountDeletions } from './account-deletions.task.js';
import { LdapAccountEntity, OidcIdentityEntity, ScimUserEntity } from './account-links.entities.js';
import { AccountQuotas } from './account-quotas.service.js';
import { AccountEntity, AccountGroupMemberEntity } from './account.entity.js';
import { AutocompleteController } from './autocomplete.controller.js';
import { FirstAdministrator } from './first-administrator.service.js';
import { HoldsRepository } from './holds.repository.js';
import { HoldsService } from './holds.service.js';
import { RememberedLogins } from './remembered-logins.provider.js';
import { registerUserCommands } from './users.commands.js';
import { UsersRepository } from './users.repository.js';
import { BrowserSessionEnds, UsersService } from './users.service.js';

@Subject({
  imports: [AccountPasswordsModule, SecurityEventsModule],
  controllers: [AutocompleteController],
  providers: [
    AccountDeletions,
    AccountQuotas,
    FirstAdministrator,
    HoldsRepository,
    HoldsService,
    UsersRepository,
    UsersService,
    BrowserSessionEnds,
    RememberedLogins,
    { provide: AccessChanges, useClass: AccessChangesService },
    { provide: UserAccounts, useExisting: UsersService },
  ],
  exports: [
    AccessChanges,
    AccountDeletions,
    AccountQuotas,
    BrowserSessionEnds,
    RememberedLogins,
    UsersRepository,
    UsersService,
  ],
  entities: [
    AccountEntity,
    AccountGroupMemberEntity,
    LdapAccountEntity,
    OidcIdentityEntity,
    ScimUserEntity,
  ],
  commands: [registerUserCommands],
})
export class UsersModule {}
