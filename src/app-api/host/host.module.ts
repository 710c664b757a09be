import { Subject } from '../../common/subjects/subject.js';
import { CredentialsModule } from '../../platform/sign-in/credentials/credentials.module.js';
import { AppsModule } from '../apps/apps.module.js';
import { HostAddressController, HostController } from './host.controller.js';
import {
  ServiceAddressEntity,
  ServiceAddressesRepository,
} from './service-addresses.repository.js';
import { ServiceProbe } from './service-probe.service.js';

/** Information about the host for external apps. */
@Subject({
  imports: [AppsModule, CredentialsModule],
  controllers: [HostAddressController, HostController],
  providers: [ServiceAddressesRepository, ServiceProbe],
  exports: [ServiceProbe],
  entities: [ServiceAddressEntity],
})
export class GatewayHostModule {}
