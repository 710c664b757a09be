import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { CredentialsRequired } from '../../../common/auth/auth.errors.js';
import type { IdentifiedRequest } from '../../../common/http/current-user.decorator.js';

/** Refuses an external app without an acting user. Runs after the guard that authenticates the app. */
@Injectable()
export class ActingUserGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.switchToHttp().getRequest<IdentifiedRequest>().account === undefined) {
      throw new CredentialsRequired();
    }
    return true;
  }
}
