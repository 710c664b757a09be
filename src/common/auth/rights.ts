import {
  Injectable,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { GUARDS_METADATA } from '@nestjs/common/constants.js';
import { ModuleRef } from '@nestjs/core';
import type { Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { DomainError } from '../errors/domain-error.js';
import type { IdentifiedRequest } from '../http/current-user.decorator.js';
import { admitted, carriedOut, endRight, undecided } from '../http/request-right.js';
import { senderOf } from '../http/sender.js';
import { whenClosed } from '../http/when-closed.js';
import { RightsChanged } from './auth.errors.js';
import { currentActor, type RequestActor } from './request-actor.js';

interface AdmittedRequest {
  readonly request: IdentifiedRequest;
  readonly actor: RequestActor | undefined;
  /** @throws the refusal of a guard */
  readonly decide: () => Promise<void>;
}

/**
 * Decides about the requests of users and apps again, by the guards of their route: when the body has
 * arrived, and when access of the user or app has changed (`AccessChanges`). If it is refused then, the next
 * statement of the request fails, its transaction is rolled back, and an answer that has begun ends.
 *
 * @see docs/decisions/0089-rights-are-decided-when-the-thing-is-done.md
 */
@Injectable()
export class Rights implements NestInterceptor {
  /** Requests until the end of their answers, by user and by app. */
  readonly #admitted = new Map<string, Set<AdmittedRequest>>();

  constructor(private readonly modules: ModuleRef) {}

  /** @throws the refusal of a guard */
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<IdentifiedRequest>();
    if (senderOf(request).known) {
      const decide = this.#decisionOf(context, request);
      this.#keep({ request, decide, actor: currentActor() });
      await admitted(request, decide);
      return next.handle().pipe(finalize(() => carriedOut(request)));
    }
    return next.handle();
  }

  /**
   * Decides about the requests under way, in the order of their arrival.
   *
   * @param owner `user:ada` or `app:tools`; undefined if changes of anybody may have been missed
   */
  async changed(owner?: string): Promise<void> {
    const sets = owner === undefined ? this.#admitted.values() : [this.#admitted.get(owner) ?? []];
    for (const one of new Set([...sets].flatMap((set) => [...set]))) {
      await reconsider(one);
    }
  }

  #keep(one: AdmittedRequest): void {
    const { account, callingApp, res } = one.request;
    const owners = [
      ...(account === undefined ? [] : [`user:${account.userId}`]),
      ...(callingApp === undefined ? [] : [`app:${callingApp.appId}`]),
    ];
    for (const owner of owners) {
      this.#admitted.set(owner, (this.#admitted.get(owner) ?? new Set()).add(one));
    }
    const forget = () => {
      for (const owner of owners) {
        const others = this.#admitted.get(owner);
        others?.delete(one);
        if (others?.size === 0) {
          this.#admitted.delete(owner);
        }
      }
    };
    if (res !== undefined) {
      whenClosed(res, forget);
    }
  }

  #decisionOf(context: ExecutionContext, request: IdentifiedRequest): () => Promise<void> {
    const before = identityOf(request);
    return async () => {
      const again = undecided(request);
      const asked = contextOf(context, again);
      for (const guard of this.#guardsOf(context)) {
        RightsChanged.unless(await guard.canActivate(asked));
      }
      if (identityOf(again) !== before) {
        throw new RightsChanged();
      }
    };
  }

  #guardsOf(context: ExecutionContext): CanActivate[] {
    return [context.getClass(), context.getHandler()]
      .flatMap(
        (place) => (Reflect.getMetadata(GUARDS_METADATA, place) ?? []) as Type<CanActivate>[],
      )
      .map((guard) => this.modules.get(guard, { strict: false }));
  }
}

/** Who sends the request, and with which rights. */
function identityOf({ account, callingApp, credential, service }: IdentifiedRequest): string {
  return JSON.stringify([
    account?.userId,
    account?.isAdmin,
    callingApp?.appId,
    credential,
    service,
  ]);
}

/** The same context with another request. A guard may name a challenge while an answer can still begin. */
function contextOf(context: ExecutionContext, request: IdentifiedRequest): ExecutionContext {
  const http = context.switchToHttp();
  const response = http.getResponse<Response>();
  const answer = response.headersSent ? { setHeader() {} } : response;
  const switchToHttp = () => ({
    getRequest: () => request,
    getResponse: () => answer,
    getNext: () => http.getNext(),
  });
  return Object.create(context, { switchToHttp: { value: switchToHttp } }) as ExecutionContext;
}

async function reconsider({ request, actor, decide }: AdmittedRequest): Promise<void> {
  // What follows the change in the request that made it belongs to the change.
  if (actor?.changesAccess === true) {
    return;
  }
  try {
    await decide();
  } catch (error) {
    // Without the database nothing is decided, and nothing can be changed either.
    if (error instanceof DomainError && error.kind !== 'unavailable' && error.kind !== 'too-many') {
      endRight(request, error);
    }
  }
}
