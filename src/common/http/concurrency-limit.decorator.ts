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
import type { IdentifiedRequest } from '../auth/current-user.decorator.js';
import { Config } from '../config/config.js';
import { DomainError } from '../errors/domain-error.js';
import { SharedCounts } from './shared-counts.js';

/** An expensive kind of request. */
export interface CostlyWork {
  /**
   * Plural noun for the error message: "previews of feeds". Routes with the same name share a
   * limit.
   */
  readonly name: string;
  /** Concurrent requests per user. */
  readonly most: number;
}

const RETRY_AFTER_SECONDS = 5;

/** The user has reached the limit. */
class TooMuchAtOnce extends DomainError {
  readonly kind = 'too-many';
  override readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  constructor({ name, most }: CostlyWork) {
    super(`You already have ${most} ${name} in progress; wait until one has finished.`);
  }
}

const WORK = 'gatefold:costly-work';

/** Counts concurrent requests per user. */
@Injectable()
class ConcurrencyLimitInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly config: Config,
    private readonly counts: SharedCounts,
  ) {}

  /** @throws TooMuchAtOnce before the body is read */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const work = this.reflector.get<CostlyWork | undefined>(WORK, context.getHandler());
    const { account } = context.switchToHttp().getRequest<IdentifiedRequest>();
    if (work === undefined || account === undefined || !this.config.rateLimitsEnabled) {
      return next.handle();
    }
    const key = `${work.name}/${account.userId}`;
    if (this.counts.count(key) >= work.most) {
      throw new TooMuchAtOnce(work);
    }
    this.counts.add(key, 1);
    return next.handle().pipe(finalize(() => this.counts.add(key, -1)));
  }
}

/**
 * Answers 429 to a user with that many concurrent requests of this kind. Put it below
 * decorators that read the body, so that it runs first.
 */
export const ConcurrencyLimit = (work: CostlyWork): MethodDecorator =>
  applyDecorators(SetMetadata(WORK, work), UseInterceptors(ConcurrencyLimitInterceptor));
