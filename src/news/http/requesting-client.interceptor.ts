import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import { Observable } from 'rxjs';
import { networkOf } from '../../common/http/client-network.js';
import type { IdentifiedRequest } from '../../common/http/current-user.decorator.js';

/** The form of a client name, in X-Gatefold-Client and in GET /events. */
export const CLIENT_NAME = /^[\w-]{1,64}$/;

/** The client program that makes a request. */
interface RequestingClient {
  /** Client's name, so that live updates omit its own changes; null for most clients. */
  readonly name: string | null;
  /**
   * Distinguishes the clients of one user by credential, user agent and network. Null for browsers,
   * which store no items.
   */
  readonly key: string | null;
}

const requestingClient = new AsyncLocalStorage<RequestingClient>();

/** Runs `work` on behalf of a client. */
export function asClient<Result>(client: RequestingClient, work: () => Result): Result {
  return requestingClient.run(client, work);
}

/** @returns null for clients without a name */
export function currentClient(): string | null {
  return requestingClient.getStore()?.name ?? null;
}

/** @returns null for browsers and outside of a request */
export function currentClientKey(): string | null {
  return requestingClient.getStore()?.key ?? null;
}

/**
 * Makes the requesting client known: live updates omit its own changes, and the clean-up waits until every
 * client of a user has synchronised.
 */
@Injectable()
export class RequestingClientInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<IdentifiedRequest>();
    const client = { name: nameOf(request), key: keyOf(request) };
    return new Observable((subscriber) =>
      asClient(client, () => next.handle().subscribe(subscriber)),
    );
  }
}

function nameOf({ headers }: IdentifiedRequest): string | null {
  const name = headers['x-gatefold-client'];
  return typeof name === 'string' && CLIENT_NAME.test(name) ? name : null;
}

function keyOf({ credential, headers, ip }: IdentifiedRequest): string | null {
  if (credential === undefined || credential.kind === 'session') {
    return null;
  }
  const identity = [credential, headers['user-agent'] ?? '', networkOf(ip ?? '')];
  return hash('sha256', JSON.stringify(identity), 'base64url');
}
