import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { AdministratorRequired, CredentialsRequired } from './auth.errors.js';
import type { IdentifiedRequest } from './current-user.decorator.js';

/** Lets administrators in. Stands after the guard that found out who is asking. */
@Injectable()
export class AdminGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { account } = context.switchToHttp().getRequest<IdentifiedRequest>();
    if (account === undefined) {
      throw new CredentialsRequired();
    }
    if (!account.isAdmin) {
      throw new AdministratorRequired();
    }
    return true;
  }
}
