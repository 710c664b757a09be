import { Get } from '../../../common/contracts/routes.js';
import { AdminGuard } from '../../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { CheckedSubject } from '../../../common/ports/installation-checks.js';
import { ChecksService } from './checks.service.js';
import { ChecksAnswer, toShown } from './checks.wire.js';

/** What `gatefold doctor` examines, for administrators. */
@OcsController('apps/gatefold/api/v1/checks', { guards: [BasicAuthGuard, AdminGuard] })
export class ChecksController {
  constructor(private readonly checks: ChecksService) {}

  /** Takes some seconds when apps do not answer. */
  @Get('', 'Examines the installation, as "gatefold doctor" does.', ChecksAnswer)
  async run(): Promise<readonly CheckedSubject[]> {
    return toShown(await this.checks.run());
  }
}
