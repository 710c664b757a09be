import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { IdentifiedRequest } from '../../../common/http/current-user.decorator.js';
import { isInPerson } from '../../../common/ports/user-directory.js';
import { AccountPasswordRequired } from '../../platform.errors.js';

/**
 * Requires a session or the account's password. Rejects app passwords, which could create further
 * ones, and external apps. Use after an authentication guard.
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
