import { z } from 'zod';
import { Get, Post } from '../../common/contracts/routes.js';
import { AllowInstallingApp, CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { PublicAddress } from '../../common/config/public-address.js';
import { OcsFailure } from '../../common/ocs/envelope.js';
import { OcsGatewayController } from '../apps/access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { UserDirectory } from '../../common/ports/user-directory.js';
import { ExAppLog } from '../apps/log/ex-app-log.js';
import { integer } from '../field-schemas.js';
import { UserIdsAnswer, AbsoluteAddressAnswer } from './host.wire.js';

const LogEntry = z.object({
  level: integer,
  message: z.string({ error: 'must be a text' }),
});

const PathToComplete = z.object({ url: z.string({ error: 'must be a text' }) });

/** Services of the host for external apps: users, log, addresses. */
@OcsGatewayController('apps/app_api/api/v1')
export class HostController {
  constructor(
    private readonly directory: UserDirectory,
    private readonly address: PublicAddress,
    private readonly exAppLog: ExAppLog,
  ) {}

  @Get('users', 'Lists the ids of users.', UserIdsAnswer)
  async listUsers(): Promise<string[]> {
    return (await this.directory.list()).map(({ userId }) => userId);
  }

  @Post('log', 'Writes to the log of the host.', 'nothing')
  @AllowInstallingApp()
  async log(
    @CallingExApp() { appId }: CallingApp,
    @Input(LogEntry) { level, message }: In<typeof LogEntry>,
  ): Promise<void> {
    if (!(await this.exAppLog.write(appId, level, message))) {
      throw new OcsFailure(400, 'Invalid log level');
    }
  }

  @Get('info/nextcloud_url/absolute', 'Completes an address.', AbsoluteAddressAnswer)
  completeAddress(@Input(PathToComplete) { url }: In<typeof PathToComplete>) {
    return { absolute_url: this.address.of(url) };
  }
}
