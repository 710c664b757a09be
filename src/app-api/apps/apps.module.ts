import { AppCredentialsOffer } from '../../common/ports/app-credentials.js';
import { Subject, offered } from '../../common/subjects/subject.js';
import { SecurityEventsModule } from '../../platform/accounts/security/security.module.js';
import { UsersModule } from '../../platform/accounts/users/users.module.js';
import { AppCredentialsService } from './access/app-credentials.service.js';
import { ExAppClient } from './client/ex-app-client.service.js';
import { AppDaemonEntity } from './daemons/daemon.js';
import { registerAppApiDaemonCommands } from './daemons/daemons.commands.js';
import { DaemonsRepository } from './daemons/daemons.repository.js';
import { DaemonsService } from './daemons/daemons.service.js';
import { ExAppEntity } from './ex-app.entity.js';
import { ExAppsRepository } from './ex-apps.repository.js';
import { ActivationService } from './lifecycle/activation.service.js';
import { AppLeases } from './lifecycle/app-leases.service.js';
import { ExAppsService } from './lifecycle/ex-apps.service.js';
import { HeartbeatSchedule } from './lifecycle/heartbeat.schedule.js';
import { HeartbeatService } from './lifecycle/heartbeat.service.js';
import { InitStatusController } from './lifecycle/init-status.controller.js';
import { LifecyclePace } from './lifecycle/lifecycle-pace.service.js';
import { LifecycleRepository } from './lifecycle/lifecycle.repository.js';
import { LifecycleService } from './lifecycle/lifecycle.service.js';
import { AppHistory, ExAppLog } from './log/ex-app-log.service.js';
import { ExAppLogLineEntity, LogLinesRepository } from './log/log-lines.repository.js';
import { ExAppRouteEntity, ExAppRoutesRepository } from './routes/ex-app-routes.repository.js';
import { AppTrustAnswerEntity, AppTrustRepository } from './trust/app-trust.repository.js';
import { AppTrustService } from './trust/app-trust.service.js';

/** External apps, their life cycle, daemons and logs, and calls to them. */
@Subject({
  imports: [SecurityEventsModule, UsersModule],
  controllers: [InitStatusController],
  providers: [
    AppCredentialsService,
    AppHistory,
    ExAppLog,
    ActivationService,
    AppLeases,
    AppTrustRepository,
    AppTrustService,
    DaemonsRepository,
    DaemonsService,
    ExAppRoutesRepository,
    ExAppsService,
    HeartbeatSchedule,
    HeartbeatService,
    LifecyclePace,
    LifecycleRepository,
    LifecycleService,
    LogLinesRepository,
    ExAppClient,
    ExAppsRepository,
    offered(AppCredentialsOffer, AppCredentialsService),
  ],
  exports: [
    ActivationService,
    AppHistory,
    AppTrustService,
    DaemonsRepository,
    DaemonsService,
    ExAppClient,
    ExAppLog,
    ExAppRoutesRepository,
    ExAppsRepository,
    ExAppsService,
    HeartbeatService,
    LifecycleService,
  ],
  entities: [
    AppDaemonEntity,
    AppTrustAnswerEntity,
    ExAppEntity,
    ExAppLogLineEntity,
    ExAppRouteEntity,
  ],
  commands: [registerAppApiDaemonCommands],
})
export class AppsModule {}
