import { Controller } from '@nestjs/common';
import { Get } from '../../../common/contracts/routes.js';
import { Public } from '../../../common/http/current-user.decorator.js';
import { Config } from '../../../common/config/config.js';
import { hostVersion } from '../../../common/config/host-version.js';
import { StatusPhpAnswer } from './capabilities.wire.js';

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
