import { Subject } from '../common/subjects/subject.js';
import { AccountsModule } from './accounts/accounts.module.js';
import { InstallationModule } from './installation/installation.module.js';
import { NotificationsModule } from './notifications/notifications.module.js';
import { OverviewModule } from './overview/overview.module.js';
import { PagesModule } from './pages/pages.module.js';
import { SignInModule } from './sign-in/sign-in.module.js';
import { TransferModule } from './transfer/transfer.module.js';

/** Accounts, sign-in, notifications, installation, pages, and archives of accounts; files and chat are parts of their own. */
@Subject({
  imports: [
    AccountsModule,
    InstallationModule,
    NotificationsModule,
    OverviewModule,
    PagesModule,
    SignInModule,
    TransferModule,
  ],
})
export class PlatformModule {}
