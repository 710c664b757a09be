import { Subject } from '../../common/subjects/subject.js';
import { AvatarsModule } from './avatars/avatars.module.js';
import { GroupsModule } from './groups/groups.module.js';
import { AccountPasswordsModule } from './passwords/passwords.module.js';
import { PreferencesModule } from './preferences/preferences.module.js';
import { SecurityEventsModule } from './security/security.module.js';
import { UsersModule } from './users/users.module.js';

/** Accounts, groups and related data. */
@Subject({
  imports: [
    AccountPasswordsModule,
    AvatarsModule,
    GroupsModule,
    PreferencesModule,
    SecurityEventsModule,
    UsersModule,
  ],
})
export class AccountsModule {}
