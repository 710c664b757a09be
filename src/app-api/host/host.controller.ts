import { z } from 'zod';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import {
  AllowDisabledApp,
  AllowInstallingApp,
  CallingExApp,
} from '../../common/auth/calling-app.decorator.js';
import { PublicAddress } from '../../common/config/public-address.js';
import { Get, Post } from '../../common/contracts/routes.js';
import { InTurn } from '../../common/http/answer-turns.js';
import { type In, Input } from '../../common/http/input.decorator.js';
import { wholeNumber } from '../../common/http/loose-inputs.js';
import { OcsFailure } from '../../common/ocs/envelope.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { UserDirectory } from '../../common/ports/user-directory.js';
import { OcsGatewayController } from '../apps/access/ocs-gateway-controller.decorator.js';
import { ExAppLog } from '../apps/log/ex-app-log.service.js';

const HostAddressAnswer = z.object({ base_url: z.string() });

const UserIdsAnswer = z.array(z.string());

const AbsoluteAddressAnswer = z.object({ absolute_url: z.string() });

const AppStateAnswer = z.int().describe('1 if the app is enabled, otherwise 0.');

const LogEntry = z.object({
  level: wholeNumber,
  message: z.string({ error: 'must be a text' }),
});

const PathToComplete = z.object({ url: z.string({ error: 'must be a text' }) });

/** Services of the host for external apps: users, log, addresses, and their own state. */
@OcsGatewayController('apps/app_api')
export class HostController {
  constructor(
    private readonly directory: UserDirectory,
    private readonly address: PublicAddress,
    private readonly exAppLog: ExAppLog,
  ) {}

  @InTurn()
  @Get('api/v1/users', 'Lists the ids of users.', UserIdsAnswer)
  async listUsers() {
    return (await this.directory.list()).map(({ userId }) => userId);
  }

  @Post('api/v1/log', 'Writes to the log of the host.', 'nothing')
  @AllowInstallingApp()
  async log(
    @CallingExApp() { appId }: CallingApp,
    @Input(LogEntry) { level, message }: In<typeof LogEntry>,
  ): Promise<void> {
    if (!(await this.exAppLog.write(appId, level, message))) {
      throw new OcsFailure(400, 'Invalid log level');
    }
  }

  @Get('api/v1/info/nextcloud_url/absolute', 'Completes an address.', AbsoluteAddressAnswer)
  completeAddress(@Input(PathToComplete) { url }: In<typeof PathToComplete>) {
    return { absolute_url: this.address.of(url) };
  }

  /** Existing apps use the second path. */
  @Get(
    ['api/v1/ex-app/state', 'ex-app/state'],
    'Tells an app whether it is enabled.',
    AppStateAnswer,
  )
  @AllowDisabledApp()
  state(@CallingExApp() app: CallingApp) {
    return Number(app.enabled);
  }
}

/** The host's address, for administrators and for apps that act as one. */
@OcsController('apps/app_api/api/v1/info', { bare: true, guards: [BasicAuthGuard, AdminGuard] })
export class HostAddressController {
  constructor(private readonly address: PublicAddress) {}

  @Get(['host_url', 'nextcloud_url'], 'Tells the address of the host.', HostAddressAnswer)
  show() {
    return { base_url: this.address.root };
  }
}
