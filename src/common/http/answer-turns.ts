import {
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import { finalize, of, type Observable } from 'rxjs';
import { FairTurns, type EndTurn } from '../fair-turns.js';
import { NoRoomForBody } from './body-budget.js';
import { senderOf } from './sender.js';

/** Lists of one sender that are made at the same time; others wait. */
const AT_ONCE_OF_SENDER = 3;

/**
 * Lets a sender's lists be made a few at a time: between the database and the finished answer, each is in
 * memory as a whole, before `InputBodies` counts it. The limits of requests bound how many wait.
 */
@Injectable()
export class AnswerTurns {
  readonly #turns = new FairTurns(
    {
      atOnce: Infinity,
      atOnceOfOwner: AT_ONCE_OF_SENDER,
      waiting: Infinity,
      waitingOfOwner: Infinity,
    },
    () => new NoRoomForBody(),
  );

  /** @param sender a key, see `Sender` */
  async begin(sender: string): Promise<EndTurn> {
    return this.#turns.begin(sender);
  }
}

@Injectable()
class InTurnInterceptor implements NestInterceptor {
  constructor(private readonly turns: AnswerTurns) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    const end = await this.turns.begin(senderOf(request).key);
    if (request.res?.closed === true) {
      // The client has gone while it waited.
      end();
      return of(undefined);
    }
    return next.handle().pipe(finalize(end));
  }
}

/**
 * For handlers that return a list that may be large, and wait for nothing but the database. A client that
 * has gone when its turn comes causes no more work.
 */
export const InTurn = (): MethodDecorator => UseInterceptors(InTurnInterceptor);
