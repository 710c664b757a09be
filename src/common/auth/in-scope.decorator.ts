import { SetMetadata } from '@nestjs/common';
import type { ScopedRoom } from '../ports/app-password-scope.js';

export const IN_SCOPE = 'gatefold:in-scope';
export const READS_BY_POST = 'gatefold:reads-by-post';

/**
 * Opens routes to app passwords for one part of the service, or for any. Without it, a route needs
 * an app password for everything.
 */
export const InScope = (scope: ScopedRoom | 'any'): ClassDecorator & MethodDecorator =>
  SetMetadata<string, ScopedRoom | 'any'>(IN_SCOPE, scope);

/** Opens a route with a changing method to app passwords that read only. It changes nothing, or checks. */
export const ReadsByPost = (): MethodDecorator => SetMetadata(READS_BY_POST, true);
