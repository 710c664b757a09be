import type { Request } from 'express';
import { networkOf } from './client-network.js';
import type { IdentifiedRequest } from './current-user.decorator.js';

/** Key for limits on requests: a user or an external app, or before authentication, a network. */
export interface Sender {
  readonly known: boolean;
  /** Example: `user:ada`, `service:scim`, `app:tools`, `network:192.0.2.7`. */
  readonly key: string;
}

/** The sender as known at this point of the request. */
export function senderOf(request: Request): Sender {
  const { account, callingApp, service } = request as IdentifiedRequest;
  if (service !== undefined) {
    return { known: true, key: `service:${service}` };
  }
  if (callingApp !== undefined) {
    return senderOfApp(callingApp.appId);
  }
  return account === undefined
    ? { known: false, key: `network:${networkOf(request.ip ?? '')}` }
    : senderOfUser(account.userId);
}

export function senderOfUser(userId: string): Sender {
  return { known: true, key: `user:${userId}` };
}

export function senderOfApp(appId: string): Sender {
  return { known: true, key: `app:${appId}` };
}
