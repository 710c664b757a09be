import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { IdentifiedRequest } from '../../common/http/current-user.decorator.js';
import { AppConsentOffer } from '../../common/ports/app-consent.js';

/**
 * Refuses external apps without the consent of the user that they act for. Costs other callers
 * nothing. Use after an authentication guard.
 */
@Injectable()
export class AppConsentGuard implements CanActivate {
  constructor(private readonly consent: AppConsentOffer) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { account, credential } = context.switchToHttp().getRequest<IdentifiedRequest>();
    if (account !== undefined && credential?.kind === 'external app') {
      await this.consent.required.require(credential.appId, account.userId);
    }
    return true;
  }
}
