import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { IdentifiedRequest } from '../../common/auth/current-user.decorator.js';
import { AccountPasswordRequired } from '../platform.errors.js';
import { UsedAppPassword } from './used-app-password.js';

/**
 * For what only the user in person may do: in a browser's session, or with the account's password. A
 * program cannot make further app passwords with its own, nor an external app for whom it acts.
 * Stands after the guard that found out who is asking.
 */
@Injectable()
export class AccountPasswordGuard implements CanActivate {
  constructor(private readonly usedAppPassword: UsedAppPassword) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<IdentifiedRequest>();
    const isProgram =
      request.callingApp !== undefined || (await this.usedAppPassword.in(request)) !== null;
    if (isProgram) {
      throw new AccountPasswordRequired();
    }
    return true;
  }
}
