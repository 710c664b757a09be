import { Subject } from '../../common/subjects/subject.js';
import { UsersModule } from '../../platform/accounts/users/users.module.js';
import { ThrottleModule } from '../../platform/sign-in/throttle/throttle.module.js';
import { AppsModule } from '../apps/apps.module.js';
import { RegistrationsModule } from '../capabilities/capabilities.module.js';
import { ConnectionEnds } from './connection-ends.service.js';
import { DeclaredRoutesService } from './declared-routes.service.js';
import { GuessTurns } from './guess-turns.service.js';
import { ProxyForwarder } from './proxy-forwarder.service.js';
import { ProxyGate } from './proxy-gate.service.js';
import { ProxyUpgrades } from './proxy-upgrades.service.js';
import { ProxyVisitors } from './proxy-visitors.service.js';
import { ProxyController } from './proxy.controller.js';
import { registerAppApiRoutesCommand } from './routes.command.js';

/** Lets browsers reach external apps. */
@Subject({
  imports: [AppsModule, RegistrationsModule, ThrottleModule, UsersModule],
  controllers: [ProxyController],
  providers: [
    DeclaredRoutesService,
    ConnectionEnds,
    ProxyForwarder,
    GuessTurns,
    ProxyGate,
    ProxyVisitors,
    ProxyUpgrades,
  ],
  exports: [DeclaredRoutesService],
  commands: [registerAppApiRoutesCommand],
  edgeRules: [
    {
      path: /^\/(?:apps\/app_api\/proxy|exapps)(?:\/|$)/i,
      rawBody: true,
      slowBody: () => true,
      strictPath: true,
      onAppsOrigin: true,
    },
  ],
})
export class ProxyModule {}
