import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuthModule } from './auth/auth.module.js';
import { RequestActorInterceptor } from './auth/request-actor.interceptor.js';
import { Rights } from './auth/rights.js';
import { ScopeInterceptor } from './auth/scope.interceptor.js';
import { DiskReserveInterceptor } from './disk/disk-reserve.interceptor.js';
import { DiskModule } from './disk/disk.module.js';
import { HealthModule } from './health/health.module.js';
import { HttpEdgeModule } from './http/http.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { PortsModule } from './ports/ports.module.js';
import { SecretsModule } from './secrets/secrets.module.js';

const SHARED = [
  AuthModule,
  DiskModule,
  HealthModule,
  HttpEdgeModule,
  MetricsModule,
  PortsModule,
  SecretsModule,
];

/** Services for every subject; `@Subject` imports it. */
@Module({
  imports: SHARED,
  providers: [
    { provide: APP_INTERCEPTOR, useClass: ScopeInterceptor },
    { provide: APP_INTERCEPTOR, useClass: RequestActorInterceptor },
    { provide: APP_INTERCEPTOR, useExisting: Rights },
    { provide: APP_INTERCEPTOR, useClass: DiskReserveInterceptor },
  ],
  exports: SHARED,
})
export class CommonModule {}
