import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CsrfCheckFailed } from '../../common/auth/auth.errors.js';
import { Public } from '../../common/auth/current-user.decorator.js';
import { isSame, SessionGate } from '../../common/auth/session-gate.js';
import { PublicAddress } from '../../common/http/public-address.js';
import { BrowserSessions } from '../sessions/browser-sessions.js';

/**
 * Ends the browser's session. Public, since whoever has none is logged out already; whoever has one
 * proves that they want it to end, by a link as well as by a form.
 */
@Controller('logout')
@Public()
export class LogOutController {
  constructor(
    private readonly gate: SessionGate,
    private readonly browserSessions: BrowserSessions,
    private readonly address: PublicAddress,
  ) {}

  @Get()
  async byLink(@Req() request: Request, @Res() response: Response): Promise<void> {
    const session = await this.gate.admit(request);
    const sent = String(request.query['requesttoken']);
    if (session !== undefined && !isSame(sent, session.requestToken)) {
      throw new CsrfCheckFailed();
    }
    await this.#end(request, response, session !== undefined);
  }

  @Post()
  async byForm(@Req() request: Request, @Res() response: Response): Promise<void> {
    const session = await this.gate.admit(request);
    await this.#end(request, response, session !== undefined);
  }

  async #end(request: Request, response: Response, hasSession: boolean): Promise<void> {
    if (hasSession) {
      await this.browserSessions.end(request, response);
    }
    response.set('Cache-Control', 'no-store').redirect(303, this.address.pathOf('/login'));
  }
}
