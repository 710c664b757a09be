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

/** Work of a user that costs more than an answer usually does. */
export interface CostlyWork {
  /** In words for people: "previews of feeds". Routes of the same work are counted together. */
  readonly name: string;
  /** How much of it one user may have under way at once at this process. */
  readonly most: number;
}

/** There is room again as soon as one of them is done, which nobody can tell in advance. */
const RETRY_AFTER_SECONDS = 5;

/** A user has as much of this under way as one may have. */
export class TooMuchAtOnce extends DomainError {
  readonly kind = 'too-many';
  override readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  constructor({ name, most }: CostlyWork) {
    super(`There are ${most} ${name} of yours under way already; wait for one of them.`);
  }
}

const WORK = 'gatefold:costly-work';

/** Counts what is under way. Users share a process; none may take all of it. */
@Injectable()
export class ConcurrencyLimitInterceptor implements NestInterceptor {
  readonly #underWay = new Map<string, number>();

  constructor(
    private readonly reflector: Reflector,
    private readonly config: Config,
  ) {}

  /** @throws TooMuchAtOnce before anything of the body has been read */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const work = this.reflector.get<CostlyWork | undefined>(WORK, context.getHandler());
    const { account } = context.switchToHttp().getRequest<IdentifiedRequest>();
    if (work === undefined || account === undefined || !this.config.rateLimitsEnabled) {
      return next.handle();
    }
    const key = `${work.name}/${account.userId}`;
    const underWay = this.#underWay.get(key) ?? 0;
    if (underWay >= work.most) {
      throw new TooMuchAtOnce(work);
    }
    this.#underWay.set(key, underWay + 1);
    return next.handle().pipe(finalize(() => this.#done(key)));
  }

  #done(key: string): void {
    const left = (this.#underWay.get(key) ?? 0) - 1;
    if (left > 0) {
      this.#underWay.set(key, left);
      return;
    }
    this.#underWay.delete(key);
  }
}

/**
 * Refuses a route with 429 to a user who has that much of the work under way at this process.
 * Below every other decorator that reads the body, so that it comes first.
 */
export const ConcurrencyLimit = (work: CostlyWork): MethodDecorator =>
  applyDecorators(SetMetadata(WORK, work), UseInterceptors(ConcurrencyLimitInterceptor));
