import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SessionCookie } from './session-cookie.js';
import type { SessionProvider } from './sessions.repository.js';
import { SessionsService, type BegunSession } from './sessions.service.js';

/** Begins and ends the session of the browser at the other end: what is stored, and its cookie. */
@Injectable()
export class BrowserSessions {
  constructor(
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
  ) {}

  /**
   * After the user proved who they are. Always a new session, so that nobody can prepare one for
   * somebody else; the browser's former one ends.
   *
   * @returns it, as the browser will bring it
   */
  async begin(
    request: Request,
    response: Response,
    userId: string,
    provider: SessionProvider,
  ): Promise<BegunSession> {
    await this.#endFormer(request);
    const begun = await this.sessions.begin({
      userId,
      provider,
      userAgent: request.get('user-agent') ?? '',
      address: request.ip ?? '',
    });
    this.cookie.set(request, response, begun.token, begun.livesSeconds);
    return begun;
  }

  async end(request: Request, response: Response): Promise<void> {
    await this.#endFormer(request);
    this.cookie.clear(request, response);
  }

  async #endFormer(request: Request): Promise<void> {
    const former = await this.sessions.identify(request);
    if (former !== null) {
      await this.sessions.end(former);
    }
  }
}
