import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { CredentialsRequired } from '../../common/auth/auth.errors.js';
import type { IdentifiedRequest } from '../../common/auth/current-user.decorator.js';

/** Refuses an external app that acts for nobody. Stands after the guard that let the app in. */
@Injectable()
export class ActingUserGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.switchToHttp().getRequest<IdentifiedRequest>().account === undefined) {
      throw new CredentialsRequired();
    }
    return true;
  }
}
