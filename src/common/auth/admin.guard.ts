import {
  Injectable,
  SetMetadata,
  type CanActivate,
  type CustomDecorator,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { IdentifiedRequest } from '../http/current-user.decorator.js';
import { mayAdminister } from '../ports/user-directory.js';
import { assertScope } from './assert-scope.js';
import {
  AdministrationRefused,
  AdministratorRequired,
  CredentialsRequired,
} from './auth.errors.js';
import { RecentProof } from './recent-proof.js';

const PROGRAMS_TOO = 'gatefold:programs-too';

/** Allows changes with any app password of an administrator. */
export const ProgramsToo = (): CustomDecorator => SetMetadata(PROGRAMS_TOO, true);

const READING_METHODS = new Set(['GET', 'HEAD']);

/**
 * Requires an administrator; for changes also a session with a recent proof of identity, the account's
 * password, or an app password with administrator rights. Use after an authentication guard.
 */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly recentProof: RecentProof,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<IdentifiedRequest>();
    if (request.account === undefined) {
      throw new CredentialsRequired();
    }
    AdministratorRequired.unless(request.account.isAdmin);
    // Room null: denied even if the room of the route is in the scope.
    assertScope(request.credential, { room: null, changes: true });
    if (READING_METHODS.has(request.method) || this.#isForPrograms(context)) {
      return true;
    }
    AdministrationRefused.unless(mayAdminister(request.credential));
    this.recentProof.assert(request.session);
    request.isAdministration = true;
    return true;
  }

  #isForPrograms(context: ExecutionContext): boolean {
    return this.reflector.get<boolean | undefined>(PROGRAMS_TOO, context.getHandler()) === true;
  }
}
