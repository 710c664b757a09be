import { Global, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { SecretBox } from '../secrets/secret-box.js';
import { AppPasses } from './app-passes.js';
import { BasicAuthenticator } from './basic-authenticator.js';
import { GatewayAuthenticator } from './gateway-authenticator.js';
import { RecentProof } from './recent-proof.js';
import { RequestActorInterceptor } from './request-actor.interceptor.js';
import { ScopeInterceptor } from './scope.interceptor.js';
import { SessionGate } from './session-gate.js';
import { Visitors } from './visitors.js';

/** Provides the guards' dependencies to all rooms. */
@Global()
@Module({
  providers: [
    AppPasses,
    BasicAuthenticator,
    GatewayAuthenticator,
    RecentProof,
    SecretBox,
    SessionGate,
    Visitors,
    { provide: APP_INTERCEPTOR, useClass: ScopeInterceptor },
    { provide: APP_INTERCEPTOR, useClass: RequestActorInterceptor },
  ],
  exports: [
    AppPasses,
    BasicAuthenticator,
    GatewayAuthenticator,
    RecentProof,
    SessionGate,
    Visitors,
  ],
})
export class AuthModule {}
