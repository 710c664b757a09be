import { Injectable, Logger } from '@nestjs/common';
import type { OidcSettings } from '../../../common/config/config.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { IdentityProvider } from './identity-provider.js';
import { OidcRepository } from './oidc.repository.js';

/** Ends sessions whose login ended at the identity provider (back-channel logout). */
@Injectable()
export class OidcLogoutService {
  readonly #logger = new Logger('IdentityProvider');

  constructor(
    private readonly provider: IdentityProvider,
    private readonly oidc: OidcRepository,
    private readonly sessions: SessionsService,
  ) {}

  /**
   * @param logoutToken as the provider sent it
   * @throws OidcLoginFailed when the provider's keys cannot be fetched
   */
  async end(settings: OidcSettings, logoutToken: string): Promise<void> {
    const token = await this.provider.readLogoutToken(settings, logoutToken);
    const found = await this.oidc.sessionsOf(token);
    for (const { userId, sessionId } of found) {
      await this.sessions.endElsewhere(userId, sessionId, 'by the identity provider');
    }
    this.#logger.debug(`${found.length} session(s) ended with the login at the provider`);
  }
}
