import { Get } from '../../common/contracts/routes.js';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { PublicAddress } from '../../common/config/public-address.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import { HostAddressAnswer } from './host.wire.js';

/** The host's address, for administrators and for apps that act as one. */
@OcsController('apps/app_api/api/v1/info', { bare: true, guards: [BasicAuthGuard, AdminGuard] })
export class HostAddressController {
  constructor(private readonly address: PublicAddress) {}

  @Get(['host_url', 'nextcloud_url'], 'Tells the address of the host.', HostAddressAnswer)
  show() {
    return { base_url: this.address.root };
  }
}
