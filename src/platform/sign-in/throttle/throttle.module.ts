import { Allowances } from '../../../common/ports/allowances.js';
import { GatewayThrottle, GatewayThrottleOffer } from '../../../common/ports/gateway-throttle.js';
import { Subject, offered } from '../../../common/subjects/subject.js';
import { AllowancesRepository } from './allowances.repository.js';
import { AllowancesService } from './allowances.service.js';
import { GatewayThrottleService } from './gateway-throttle.service.js';
import { LoginThrottle } from './login-throttle.service.js';
import {
  GatewayFailureEntity,
  LoginThrottleEntity,
  UsedAllowanceEntity,
  ThrottleRepository,
} from './throttle.repository.js';

/** Limits of login attempts, and allowances of users. */
@Subject({
  providers: [
    AllowancesRepository,
    LoginThrottle,
    ThrottleRepository,
    { provide: Allowances, useClass: AllowancesService },
    { provide: GatewayThrottle, useClass: GatewayThrottleService },
    offered(GatewayThrottleOffer, GatewayThrottle),
  ],
  exports: [Allowances, GatewayThrottle, LoginThrottle, ThrottleRepository],
  entities: [GatewayFailureEntity, LoginThrottleEntity, UsedAllowanceEntity],
})
export class ThrottleModule {}
