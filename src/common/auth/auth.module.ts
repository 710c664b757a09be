import { Global, Module } from '@nestjs/common';
import { BasicStrategy } from './basic.strategy.js';
import { GatewayAuthenticator } from './gateway-authenticator.js';
import { GatewayThrottle } from './gateway-throttle.js';
import { SessionGate } from './session-gate.js';
import { Visitors } from './visitors.js';

/** What the guards need, in reach of every room's controllers. */
@Global()
@Module({
  providers: [BasicStrategy, GatewayAuthenticator, GatewayThrottle, SessionGate, Visitors],
  exports: [BasicStrategy, GatewayAuthenticator, GatewayThrottle, SessionGate, Visitors],
})
export class AuthModule {}
