import { Controller, Get } from '@nestjs/common';
import { Public } from '../../common/auth/current-user.decorator.js';
import { HOST_VERSION_TEXT } from '../../common/host-version.js';

/** Clients request it first to detect a host. */
@Controller('status.php')
@Public()
export class StatusPhpController {
  @Get()
  show() {
    return {
      installed: true,
      maintenance: false,
      needsDbUpgrade: false,
      // Four numbers, the last one counting builds of the same release.
      version: `${HOST_VERSION_TEXT}.1`,
      versionstring: HOST_VERSION_TEXT,
      edition: '',
      productname: 'Gatefold',
      extendedSupport: false,
    };
  }
}
