import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CsrfCheckFailed } from '../../../common/auth/auth.errors.js';
import { Public } from '../../../common/http/current-user.decorator.js';
import { SessionGate } from '../../../common/auth/session-gate.js';
import { isSameSecret } from '../../../common/secrets/token-hash.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import type { Session } from '../../../common/ports/sessions.js';
import { BrowserSessions } from '../sessions/browser-sessions.js';
import { ProviderLogoutOffer } from './provider-logout.js';

/**
 * Ends the browser's session. Public: without a session there is nothing to do; with one, link and
 * form both need the CSRF token.
 */
@Controller('logout')
@Public()
export class LogoutController {
  constructor(
    private readonly gate: SessionGate,
    private readonly browserSessions: BrowserSessions,
    private readonly provider: ProviderLogoutOffer,
    private readonly address: PublicAddress,
  ) {}

  @Get()
  async byLink(@Req() request: Request, @Res() response: Response): Promise<void> {
    const session = await this.gate.admit(request);
    const sent = String(request.query['requesttoken']);
    if (session !== undefined && !isSameSecret(sent, session.requestToken)) {
      throw new CsrfCheckFailed();
    }
    await this.#end(request, response, session);
  }

  @Post()
  async byForm(@Req() request: Request, @Res() response: Response): Promise<void> {
    const session = await this.gate.admit(request);
    await this.#end(request, response, session);
  }

  /** Redirects to the provider's logout after a login there. */
  async #end(request: Request, response: Response, session?: Session): Promise<void> {
    const elsewhere = session && (await this.provider.service?.logoutAddress(session));
    if (session !== undefined) {
      await this.browserSessions.end(request, response);
    }
    const target = elsewhere?.href ?? this.address.pathOf('/login');
    response.set('Cache-Control', 'no-store').redirect(303, target);
  }
}
