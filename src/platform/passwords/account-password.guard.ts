import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { IdentifiedRequest } from '../../common/auth/current-user.decorator.js';
import { isInPerson } from '../../common/ports/user-directory.js';
import { AccountPasswordRequired } from '../platform.errors.js';

/**
 * For what only the user in person may do: in a browser's session, or with the account's password. A
 * program cannot make further app passwords with its own, nor an external app for whom it acts.
 * Stands after the guard that found out who is asking.
 */
@Injectable()
export class AccountPasswordGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (!isInPerson(context.switchToHttp().getRequest<IdentifiedRequest>().credential)) {
      throw new AccountPasswordRequired();
    }
    return true;
  }
}
