import { Subject } from '../../common/subjects/subject.js';
import { AppsModule } from '../apps/apps.module.js';
import { TalkBotsModule } from '../bots/bots.module.js';
import { registrationController } from '../capabilities/capabilities.controller.js';
import { RegistrationsModule } from '../capabilities/capabilities.module.js';
import { GatewayHostModule } from '../host/host.module.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { AppValuesModule } from '../values/values.module.js';
import { AppFindings, AppRecordsService } from './app-records.service.js';
import { registerAppSecretCommand } from './app-secret.commands.js';
import { AppChecks, SETUP_CHECKS } from './app.checks.js';
import { AppsAdminController } from './apps-admin.controller.js';
import { registerAppApiCommands } from './apps.commands.js';
import { DaemonsController } from './daemons.controller.js';
import { ExAppManagementController } from './ex-app-management.controller.js';
import { GatewayCapabilities } from './gateway.capabilities.js';
import { SealedAppValues } from './sealed-app-values.service.js';
import { StartPlansService } from './start-files/start-plans.service.js';

/** Administration and diagnosis of external apps. */
@Subject({
  imports: [
    AppValuesModule,
    AppsModule,
    GatewayHostModule,
    ProxyModule,
    RegistrationsModule,
    TalkBotsModule,
  ],
  controllers: [
    registrationController(SETUP_CHECKS),
    AppsAdminController,
    DaemonsController,
    ExAppManagementController,
  ],
  providers: [
    SealedAppValues,
    GatewayCapabilities,
    AppFindings,
    StartPlansService,
    AppChecks,
    AppRecordsService,
  ],
  exports: [AppFindings],
  commands: [registerAppApiCommands, registerAppSecretCommand],
})
export class AppAdministrationModule {}
