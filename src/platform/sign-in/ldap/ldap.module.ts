import { Subject } from '../../../common/subjects/subject.js';
import { GroupsModule } from '../../accounts/groups/groups.module.js';
import { AccountPasswordsModule } from '../../accounts/passwords/passwords.module.js';
import { SecurityEventsModule } from '../../accounts/security/security.module.js';
import { UsersModule } from '../../accounts/users/users.module.js';
import { PasswordLoginModule } from '../passwords/passwords.module.js';
import { LdapAccountsRepository } from './ldap-accounts.repository.js';
import { LdapCheck } from './ldap-check.task.js';
import { LdapDirectory } from './ldap-directory.service.js';
import { LdapAccounts, LdapLogin } from './ldap-login.service.js';

/** Accounts of an LDAP directory. */
@Subject({
  imports: [
    AccountPasswordsModule,
    GroupsModule,
    PasswordLoginModule,
    SecurityEventsModule,
    UsersModule,
  ],
  providers: [LdapAccounts, LdapAccountsRepository, LdapCheck, LdapDirectory, LdapLogin],
})
export class LdapModule {}
