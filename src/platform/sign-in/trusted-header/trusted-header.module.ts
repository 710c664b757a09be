import type { MiddlewareConsumer, NestModule } from '@nestjs/common';
import { Subject } from '../../../common/subjects/subject.js';
import { UsersModule } from '../../accounts/users/users.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TrustedHeaderLogin } from './trusted-header-login.middleware.js';
import { TrustedHeaderSettings } from './trusted-header.settings.js';

/** Log-in by a header of the reverse proxy. */
@Subject({
  imports: [SessionsModule, UsersModule],
  providers: [TrustedHeaderLogin],
})
export class TrustedHeaderModule implements NestModule {
  constructor(private readonly settings: TrustedHeaderSettings) {}

  configure(consumer: MiddlewareConsumer): void {
    if (this.settings.header !== undefined) {
      consumer.apply(TrustedHeaderLogin).forRoutes('*splat');
    }
  }
}
