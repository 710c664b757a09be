import { createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { CallingApp } from '../ports/app-credentials.js';
import type { IdentifiedRequest } from './current-user.decorator.js';

export const ADMITTED_APPS = 'gatefold:admitted-apps';

/**
 * Which apps with valid credentials a route admits: those that are enabled, unless it says otherwise;
 * those that are being installed as well; or all of them.
 */
export type AdmittedApps = 'enabled' | 'installing' | 'all';

export const AllowDisabledApp = (): ClassDecorator & MethodDecorator =>
  SetMetadata(ADMITTED_APPS, 'all' satisfies AdmittedApps);

/** For the few routes that an installation needs. */
export const AllowInstallingApp = (): ClassDecorator & MethodDecorator =>
  SetMetadata(ADMITTED_APPS, 'installing' satisfies AdmittedApps);

/** Injects the `CallingApp` that `GatewayAuthGuard` let in. */
export const CallingExApp = createParamDecorator(
  (_data: unknown, context: ExecutionContext): CallingApp | undefined =>
    context.switchToHttp().getRequest<IdentifiedRequest>().callingApp,
);
