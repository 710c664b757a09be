import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { userAgentOf } from '../../../common/http/client-name.js';
import type { Session } from '../../../common/ports/sessions.js';
import { SecurityEventsService } from '../../accounts/security/security-events.service.js';
import { SessionCookie } from './session-cookie.service.js';
import type { SessionProvider } from './sessions.repository.js';
import { SessionsService, type BegunSession } from './sessions.service.js';

/** Begins and ends sessions, row and cookie together. */
@Injectable()
export class BrowserSessions {
  constructor(
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
    private readonly events: SecurityEventsService,
  ) {}

  /**
   * Call after authentication. Ends the browser's previous session and begins a new one, against
   * session fixation.
   *
   * @returns the new session's token
   */
  async begin(
    request: Request,
    response: Response,
    userId: string,
    provider: SessionProvider,
  ): Promise<BegunSession> {
    await this.#endFormer(request);
    const address = request.ip ?? '';
    const userAgent = userAgentOf(request);
    const begun = await this.sessions.begin({
      userId,
      provider,
      userAgent,
      address,
    });
    await this.events.record({ kind: 'login', userId, address, details: `by ${provider}` });
    this.cookie.set(request, response, begun.token, begun.livesSeconds);
    return begun;
  }

  async end(request: Request, response: Response): Promise<void> {
    const former = await this.#endFormer(request);
    if (former !== null) {
      const { userId } = former.account;
      await this.events.record({ kind: 'logout', userId, address: request.ip ?? '' });
    }
    this.cookie.clear(request, response);
  }

  async #endFormer(request: Request): Promise<Session | null> {
    const former = await this.sessions.identify(request);
    if (former !== null) {
      await this.sessions.end(former);
    }
    return former;
  }
}
