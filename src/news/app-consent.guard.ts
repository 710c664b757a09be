import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { IdentifiedRequest } from '../common/auth/current-user.decorator.js';
import { AppConsent } from '../common/ports/app-consent.js';

/**
 * Refuses external apps without the consent of the user that they act for. Costs other callers
 * nothing. Use after an authentication guard.
 */
@Injectable()
export class AppConsentGuard implements CanActivate {
  constructor(private readonly consent: AppConsent) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { account, credential } = context.switchToHttp().getRequest<IdentifiedRequest>();
    if (account !== undefined && credential?.kind === 'external app') {
      await this.consent.require(credential.appId, account.userId);
    }
    return true;
  }
}
