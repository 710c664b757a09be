import {
  applyDecorators,
  Controller,
  UseGuards,
  UseInterceptors,
  Injectable,
  type CanActivate,
  type Type,
  type ExecutionContext,
  type CallHandler,
  type NestInterceptor,
} from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { InScope } from '../../common/auth/in-scope.decorator.js';
import { RememberedLogin } from '../../common/auth/remembered-login.decorator.js';
import type { IdentifiedRequest } from '../../common/http/current-user.decorator.js';
import { AppConsentOffer } from '../../common/ports/app-consent.js';
import { RequestingClientInterceptor } from './requesting-client.interceptor.js';

/** Both roots, after the edge has removed `/index.php` and any path prefix. */
export const V1_2 = 'apps/news/api/v1-2';
export const V1_3 = 'apps/news/api/v1-3';
export const EVERY_LEVEL = [V1_2, V1_3];

/**
 * A controller of the feed reader API: every route requires Basic credentials, for external apps also their
 * user's consent, and then passes `guards`.
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

/**
 * Refuses external apps without the consent of the user that they act for. Costs other callers
 * nothing. Use after an authentication guard.
 */
@Injectable()
class AppConsentGuard implements CanActivate {
  constructor(private readonly consent: AppConsentOffer) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { account, credential } = context.switchToHttp().getRequest<IdentifiedRequest>();
    if (account !== undefined && credential?.kind === 'external app') {
      await this.consent.required.require(credential.appId, account.userId);
    }
    return true;
  }
}

/** Sends the JSON text `null` for null, where the framework would send an empty body. */
@Injectable()
class JsonNullInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map((answer: unknown) => {
        if (answer !== null) {
          return answer;
        }
        response.type('application/json; charset=utf-8');
        return 'null';
      }),
    );
  }
}
