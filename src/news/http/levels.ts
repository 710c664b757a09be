import {
  applyDecorators,
  Controller,
  UseGuards,
  UseInterceptors,
  type CanActivate,
  type Type,
} from '@nestjs/common';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { InScope } from '../../common/auth/in-scope.decorator.js';
import { RememberedLogin } from '../../common/auth/remembered-login.decorator.js';
import { AppConsentGuard } from './app-consent.guard.js';
import { RequestingClientInterceptor } from './requesting-client.interceptor.js';
import { JsonNullInterceptor } from './json-null.interceptor.js';

/** Both roots, after the edge has removed `/index.php` and any path prefix. */
export const V1_2 = 'apps/news/api/v1-2';
export const V1_3 = 'apps/news/api/v1-3';
export const EVERY_LEVEL = [V1_2, V1_3];

/**
 * A controller of the feed reader API: every route of it asks for Basic credentials, of external apps
 * also for the consent of their user, and then for whatever `guards` ask for.
 */
export function NewsController(
  levels: string | readonly string[],
  path: string,
  ...guards: Type<CanActivate>[]
): ClassDecorator {
  return applyDecorators(
    Controller([levels].flat().map((root) => (path === '' ? root : `${root}/${path}`))),
    RememberedLogin(),
    InScope('reader'),
    UseGuards(BasicAuthGuard, AppConsentGuard, ...guards),
    UseInterceptors(JsonNullInterceptor, RequestingClientInterceptor),
  );
}
