import {
  applyDecorators,
  Injectable,
  SetMetadata,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { finalize, type Observable } from 'rxjs';
import { Config } from '../config/config.js';
import type { IdentifiedRequest } from './current-user.decorator.js';
import { Shares, type ShareKind } from './shares.js';

const KIND = 'gatefold:share';

/** Counts concurrent requests per user. */
@Injectable()
class ConcurrencyLimitInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly config: Config,
    private readonly shares: Shares,
  ) {}

  /** @throws ShareUsed before the body is read */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const kind = this.reflector.get<ShareKind | undefined>(KIND, context.getHandler());
    const { account } = context.switchToHttp().getRequest<IdentifiedRequest>();
    if (kind === undefined || account === undefined || !this.config.rateLimits) {
      return next.handle();
    }
    const end = this.shares.take(kind, account.userId);
    return next.handle().pipe(finalize(end));
  }
}

/**
 * Answers 429 to a user who has too many concurrent requests of this kind. Put it below decorators that
 * read the body, so that it runs first.
 */
export const ConcurrencyLimit = (kind: ShareKind): MethodDecorator =>
  applyDecorators(SetMetadata(KIND, kind), UseInterceptors(ConcurrencyLimitInterceptor));
