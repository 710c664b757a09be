import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { IdentifiedRequest } from '../../common/http/current-user.decorator.js';
import { NotForApps } from './transfer.errors.js';

/** Refuses external apps, which act for users in what these allowed them, not in everything. */
@Injectable()
export class OwnerGuard implements CanActivate {
  /** @throws NotForApps */
  canActivate(context: ExecutionContext): boolean {
    const { credential } = context.switchToHttp().getRequest<IdentifiedRequest>();
    if (credential?.kind === 'external app') {
      throw new NotForApps();
    }
    return true;
  }
}
