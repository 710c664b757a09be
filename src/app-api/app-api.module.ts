import { Subject } from '../common/subjects/subject.js';
import { AppAdministrationModule } from './administration/administration.module.js';
import { AppsModule } from './apps/apps.module.js';
import { TalkBotsModule } from './bots/bots.module.js';
import { RegistrationsModule } from './capabilities/capabilities.module.js';
import { OccCommandsModule } from './commands/commands.module.js';
import { ConsentModule } from './consent/consent.module.js';
import { EventListenersModule } from './events/events.module.js';
import { FileActionsModule } from './file-actions/file-actions.module.js';
import { GatewayHostModule } from './host/host.module.js';
import { AppNotificationsModule } from './notifications/notifications.module.js';
import { ProxyModule } from './proxy/proxy.module.js';
import { QueuesModule } from './queues/queues.module.js';
import { AppRequestsModule } from './requests/requests.module.js';
import { SettingsFormsModule } from './settings-forms/settings-forms.module.js';
import { AppValuesModule } from './values/values.module.js';

/** The gateway to external apps, without task processing, which is a part of its own. */
@Subject({
  imports: [
    AppAdministrationModule,
    AppNotificationsModule,
    AppRequestsModule,
    AppValuesModule,
    AppsModule,
    ConsentModule,
    EventListenersModule,
    FileActionsModule,
    GatewayHostModule,
    OccCommandsModule,
    ProxyModule,
    QueuesModule,
    RegistrationsModule,
    SettingsFormsModule,
    TalkBotsModule,
  ],
})
export class AppApiModule {}
