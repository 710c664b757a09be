import { createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { CallingApp } from '../ports/app-credentials.js';
import type { IdentifiedRequest } from './current-user.decorator.js';

export const DISABLED_APPS_TOO = 'gatefold:disabled-apps-too';

/** Lets disabled apps in too, with valid credentials as ever. */
export const AllowDisabledApp = (): ClassDecorator & MethodDecorator =>
  SetMetadata(DISABLED_APPS_TOO, true);

/** Injects the `CallingApp` that `GatewayAuthGuard` let in. */
export const CallingExApp = createParamDecorator(
  (_data: unknown, context: ExecutionContext): CallingApp | undefined =>
    context.switchToHttp().getRequest<IdentifiedRequest>().callingApp,
);
