import { createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { CallingApp } from '../ports/app-credentials.js';
import type { Session } from '../ports/sessions.js';
import type { Account, Credential } from '../ports/user-directory.js';

/** A request after a guard has found out who is asking. */
export interface IdentifiedRequest extends Request {
  account?: Account;
  /** The external app that makes the request, with or without a user it acts for. */
  callingApp?: CallingApp;
  /** The browser's session, when it was what let the request in. */
  session?: Session;
  /** How `account` was proven. */
  credential?: Credential;
  /** Set for a change that only administrators may make. */
  isAdministration?: boolean;
}

/** Who may call a route without credentials; see the two decorators below. */
export type AccessRule = 'public' | 'anonymous-too';

export const ACCESS_RULE = 'gatefold:access-rule';

/** No credentials needed, and none looked at. */
export const Public = (): ClassDecorator & MethodDecorator =>
  SetMetadata<string, AccessRule>(ACCESS_RULE, 'public');

/** Credentials are not needed, but make a difference; wrong ones are refused. */
export const AnonymousToo = (): ClassDecorator & MethodDecorator =>
  SetMetadata<string, AccessRule>(ACCESS_RULE, 'anonymous-too');

/** Injects the `Account` that is asking; undefined only where anonymous requests are let in. */
export const CurrentUser = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Account | undefined =>
    context.switchToHttp().getRequest<IdentifiedRequest>().account,
);

/** Injects the `Session` that let the request in; undefined for every other kind of credentials. */
export const CurrentSession = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Session | undefined =>
    context.switchToHttp().getRequest<IdentifiedRequest>().session,
);

/** Injects the `Credential` that proved who is asking. */
export const CurrentCredential = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Credential | undefined =>
    context.switchToHttp().getRequest<IdentifiedRequest>().credential,
);
