import { AppsModule } from '../apps/apps.module.js';
import { HostAddressController } from './host-address.controller.js';
import { HostController } from './host.controller.js';
import { ServiceAddressEntity } from './service-address.entity.js';
import { ServiceAddressesRepository } from './service-addresses.repository.js';
import { ServiceProbe } from './service-probe.js';
import { StateController } from './state.controller.js';
import { Subject } from '../../common/subjects/subject.js';
import { CredentialsModule } from '../../platform/sign-in/credentials/credentials.module.js';

/** What the host tells external apps of itself. */
@Subject({
  imports: [AppsModule, CredentialsModule],
  controllers: [StateController, HostAddressController, HostController],
  providers: [ServiceAddressesRepository, ServiceProbe],
  exports: [ServiceProbe],
  entities: [ServiceAddressEntity],
})
export class GatewayHostModule {}
