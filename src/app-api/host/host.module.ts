import { AppsModule } from '../apps/apps.module.js';
import { HostAddressController, HostController } from './host.controller.js';
import {
  ServiceAddressEntity,
  ServiceAddressesRepository,
} from './service-addresses.repository.js';
import { ServiceProbe } from './service-probe.js';
import { Subject } from '../../common/subjects/subject.js';
import { CredentialsModule } from '../../platform/sign-in/credentials/credentials.module.js';

/** What the host tells external apps of itself. */
@Subject({
  imports: [AppsModule, CredentialsModule],
  controllers: [HostAddressController, HostController],
  providers: [ServiceAddressesRepository, ServiceProbe],
  exports: [ServiceProbe],
  entities: [ServiceAddressEntity],
})
export class GatewayHostModule {}
