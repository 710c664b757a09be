import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { concatMap, Observable } from 'rxjs';
import { AccountUse } from '../http/account-use.js';
import type { IdentifiedRequest } from '../http/current-user.decorator.js';
import { OpenRequests } from '../http/open-requests.js';
import { AdministrationLogOffer } from '../ports/administration-log.js';
import type { Credential } from '../ports/user-directory.js';
import { onBehalfOf, type RequestActor } from './request-actor.js';

/**
 * Stores the actor during a request, for security events, and counts the request for it. A successful change by an administrator
 * without an event gets a generic one.
 */
@Injectable()
export class RequestActorInterceptor implements NestInterceptor {
  constructor(
    private readonly log: AdministrationLogOffer,
    private readonly requests: OpenRequests,
    private readonly use: AccountUse,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<IdentifiedRequest>();
    this.requests.known(request);
    const actor = {
      userId: request.account?.userId,
      credential: request.service ?? nameOf(request.credential),
      appId: request.credential?.kind === 'external app' ? request.credential.appId : undefined,
      address: request.ip,
    };
    return new Observable((subscriber) =>
      onBehalfOf(actor, (current) => {
        this.use.count(request, current);
        return next
          .handle()
          .pipe(concatMap((answer: unknown) => this.#noted(request, current, answer)))
          .subscribe(subscriber);
      }),
    );
  }

  async #noted(request: IdentifiedRequest, actor: RequestActor, answer: unknown): Promise<unknown> {
    if (request.isAdministration === true && !actor.isRecorded) {
      await this.log.required.record({
        kind: 'administration',
        userId: actor.userId,
        details: `${request.method} ${request.path}`,
      });
    }
    return answer;
  }
}

function nameOf(credential: Credential | undefined): string | undefined {
  switch (credential?.kind) {
    case 'app password':
      return `app password ${credential.id}`;
    case 'external app':
      return `external app ${credential.appId}`;
    default:
      return credential?.kind;
  }
}
