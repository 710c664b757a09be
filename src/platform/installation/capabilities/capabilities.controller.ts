import { UseGuards, Controller } from '@nestjs/common';
import { z } from 'zod';
import { AdminGuard } from '../../../common/auth/admin.guard.js';
import { AllowInstallingApp } from '../../../common/auth/calling-app.decorator.js';
import { InScope } from '../../../common/auth/in-scope.decorator.js';
import { Config } from '../../../common/config/config.js';
import { hostVersion } from '../../../common/config/host-version.js';
import { Get } from '../../../common/contracts/routes.js';
import { AnonymousToo, CurrentUser, Public } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import { Capabilities } from '../../../common/ports/capabilities.js';
import type { Account } from '../../../common/ports/user-directory.js';

const PartsAnswer = z.object({ apps: z.array(z.string()) });

const CapabilitiesAnswer = z.object({
  version: z.object({
    major: z.int(),
    minor: z.int(),
    micro: z.int(),
    string: z.string(),
    edition: z.string(),
    extendedSupport: z.boolean(),
  }),
  capabilities: z.record(z.string(), z.unknown()),
});

const StatusPhpAnswer = z.object({
  installed: z.boolean(),
  maintenance: z.boolean(),
  needsDbUpgrade: z.boolean(),
  version: z.string(),
  versionstring: z.string(),
  edition: z.string(),
  productname: z.string(),
  extendedSupport: z.boolean(),
});

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

/** Ids that programs look for. All are parts of the host. */
const PARTS = [
  'app_api',
  'dav',
  'files',
  'news',
  'notifications',
  'provisioning_api',
  'spreed',
  'theming',
] as const;

const PartFilter = z.object({ filter: z.string().nullish() });

/** Parts of the host as apps. External apps are listed by the gateway. */
@OcsController('cloud/apps')
export class AppsController {
  /** All are always enabled. */
  @Get('', 'Lists the parts of the host.', PartsAnswer)
  @UseGuards(AdminGuard)
  list(@Input(PartFilter) { filter }: In<typeof PartFilter>) {
    return { apps: filter === 'disabled' ? [] : PARTS };
  }
}

/** Clients request it first to detect a host. */
@Controller('status.php')
@Public()
export class StatusPhpController {
  constructor(private readonly config: Config) {}

  @Get('', 'Tells that a host is here.', StatusPhpAnswer)
  show() {
    const { text } = hostVersion(this.config);
    return {
      installed: true,
      maintenance: false,
      needsDbUpgrade: false,
      // Four numbers, the last one counting builds of the same release.
      version: `${text}.1`,
      versionstring: text,
      edition: '',
      productname: 'Gatefold',
      extendedSupport: false,
    };
  }
}
