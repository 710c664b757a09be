import { Subject } from '../../common/subjects/subject.js';
import { CapabilitiesModule } from './capabilities/capabilities.module.js';
import { InstallationChecksModule } from './checks/checks.module.js';
import { MailModule } from './mail/mail.module.js';
import { NavigationModule } from './navigation/navigation.module.js';
import { SecretKeyModule } from './secrets/secrets.module.js';

/** State and capabilities of the installation as a whole. */
@Subject({
  imports: [
    CapabilitiesModule,
    InstallationChecksModule,
    MailModule,
    NavigationModule,
    SecretKeyModule,
  ],
})
export class InstallationModule {}
