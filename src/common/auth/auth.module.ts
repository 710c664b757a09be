import { Module } from '@nestjs/common';
import { HttpEdgeModule } from '../http/http.module.js';
import { PortsModule } from '../ports/ports.module.js';
import { SecretsModule } from '../secrets/secrets.module.js';
import { AppPasses } from './app-passes.js';
import { BasicAuthenticator } from './basic-authenticator.js';
import { GatewayAuthenticator } from './gateway-authenticator.js';
import { RecentProof } from './recent-proof.js';
import { Rights } from './rights.js';
import { SessionGate } from './session-gate.js';
import { Visitors } from './visitors.js';

const PROVIDERS = [
  AppPasses,
  BasicAuthenticator,
  GatewayAuthenticator,
  RecentProof,
  Rights,
  SessionGate,
  Visitors,
];

/** Dependencies of the guards; rooms offer accounts, sessions and apps. */
@Module({
  imports: [HttpEdgeModule, PortsModule, SecretsModule],
  providers: PROVIDERS,
  exports: PROVIDERS,
})
export class AuthModule {}
