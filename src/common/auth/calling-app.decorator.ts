import { createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { IdentifiedRequest } from '../http/current-user.decorator.js';
import type { CallingApp } from '../ports/app-credentials.js';

export const ADMITTED_APPS = 'gatefold:admitted-apps';

/** Apps that a route admits: enabled ones (default), also those being installed, or all. */
export type AdmittedApps = 'enabled' | 'installing' | 'all';

export const AllowDisabledApp = (): ClassDecorator & MethodDecorator =>
  SetMetadata(ADMITTED_APPS, 'all' satisfies AdmittedApps);

/** Admits apps that are being installed too. */
export const AllowInstallingApp = (): ClassDecorator & MethodDecorator =>
  SetMetadata(ADMITTED_APPS, 'installing' satisfies AdmittedApps);

/** Injects the `CallingApp` that `GatewayAuthGuard` authenticated. */
export const CallingExApp = createParamDecorator(
  (_data: unknown, context: ExecutionContext): CallingApp | undefined =>
    context.switchToHttp().getRequest<IdentifiedRequest>().callingApp,
);
