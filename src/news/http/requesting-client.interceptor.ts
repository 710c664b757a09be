import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { hash } from 'node:crypto';
import { Observable } from 'rxjs';
import type { IdentifiedRequest } from '../../common/http/current-user.decorator.js';
import { networkOf } from '../../common/http/client-network.js';
import { asClient, CLIENT_NAME } from './requesting-client.js';

/**
 * Makes the requesting client known: live updates leave out its own changes, and the clean-up waits
 * until every client of a user has synchronised.
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
