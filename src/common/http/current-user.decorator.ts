import { createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { CallingApp } from '../ports/app-credentials.js';
import type { Session } from '../ports/sessions.js';
import type { Account, Credential } from '../ports/user-directory.js';

/** A request after authentication. */
export interface IdentifiedRequest extends Request {
  account?: Account;
  /** The calling external app, with or without a user. */
  callingApp?: CallingApp;
  /** The session, if the request was authenticated by it. */
  session?: Session;
  /** How `account` was authenticated. */
  credential?: Credential;
  /** A service of the operator that is no account, such as provisioning. */
  service?: 'scim';
  /** Set for a change that requires an administrator. */
  isAdministration?: boolean;
}

/** Access without credentials; see `Public` and `AnonymousToo`. */
export type AccessRule = 'public' | 'anonymous-too';

export const ACCESS_RULE = 'gatefold:access-rule';

/** No authentication; credentials are ignored. */
export const Public = (): ClassDecorator & MethodDecorator =>
  SetMetadata<string, AccessRule>(ACCESS_RULE, 'public');

/** Optional authentication; wrong credentials are rejected. */
export const AnonymousToo = (): ClassDecorator & MethodDecorator =>
  SetMetadata<string, AccessRule>(ACCESS_RULE, 'anonymous-too');

/** Injects the caller's `Account`; undefined only on routes for anonymous requests. */
export const CurrentUser = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Account | undefined =>
    context.switchToHttp().getRequest<IdentifiedRequest>().account,
);

/** Injects the `Session`; undefined for other credentials. */
export const CurrentSession = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Session | undefined =>
    context.switchToHttp().getRequest<IdentifiedRequest>().session,
);

/** Injects the caller's `Credential`. */
export const CurrentCredential = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Credential | undefined =>
    context.switchToHttp().getRequest<IdentifiedRequest>().credential,
);
