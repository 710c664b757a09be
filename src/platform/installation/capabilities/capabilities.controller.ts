import { Get } from '../../../common/contracts/routes.js';
import { AllowInstallingApp } from '../../../common/auth/calling-app.decorator.js';
import { AnonymousToo, CurrentUser } from '../../../common/http/current-user.decorator.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import { Capabilities } from '../../../common/ports/capabilities.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { Config } from '../../../common/config/config.js';
import { hostVersion } from '../../../common/config/host-version.js';
import { InScope } from '../../../common/auth/in-scope.decorator.js';
import { CapabilitiesAnswer } from './capabilities.wire.js';

/** Capabilities, which external apps and clients request first. */
@OcsController('cloud/capabilities')
export class CapabilitiesController {
  constructor(
    private readonly capabilities: Capabilities,
    private readonly config: Config,
  ) {}

  @Get('', 'Tells what the host can do.', CapabilitiesAnswer)
  @AnonymousToo()
  @InScope('any')
  @AllowInstallingApp()
  async show(@CurrentUser() account: Account | undefined) {
    const { text, ...numbers } = hostVersion(this.config);
    return {
      version: {
        ...numbers,
        string: text,
        edition: '',
        // External apps require the key.
        extendedSupport: false,
      },
      capabilities: await this.capabilities.shownTo(account),
    };
  }
}
