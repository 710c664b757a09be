import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { CsrfCheckFailed } from '../../../common/auth/auth.errors.js';
import { isFromElsewhere } from '../../../common/auth/request-origin.js';
import { SessionGate } from '../../../common/auth/session-gate.js';
import { Config } from '../../../common/config/config.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { Public } from '../../../common/http/current-user.decorator.js';
import { FormInput, Input, type In } from '../../../common/http/input.decorator.js';
import { Sessions, type Session } from '../../../common/ports/sessions.js';
import { isSameSecret } from '../../../common/secrets/token-hash.js';
import { LoginRefused } from '../../platform.errors.js';
import { LoginAnswers, refusalOf } from '../forms/login-answers.service.js';
import { textsFor } from '../forms/login.texts.js';
import { LoginService, SecondFactorRule } from '../passwords/login.service.js';
import { HalfLogins } from '../second-factor/half-logins.service.js';
import { BrowserSessions } from '../sessions/browser-sessions.service.js';
import { ProviderLogoutOffer } from './provider-logout.offer.js';

const redirectUrl = z.string().default('').catch('');
const LoginRequest = z.object({ redirect_url: redirectUrl });
const LoginAttempt = z.object({
  redirect_url: redirectUrl,
  user: z.string().max(200).default(''),
  password: z.string().max(4096).default(''),
});

/** The login page. Public: the user has not logged in yet. */
@Controller('login')
@Public()
export class LoginController {
  constructor(
    private readonly login: LoginService,
    private readonly rule: SecondFactorRule,
    private readonly sessions: Sessions,
    private readonly browserSessions: BrowserSessions,
    private readonly halfLogins: HalfLogins,
    private readonly answers: LoginAnswers,
    private readonly config: Config,
  ) {}

  @Get()
  async show(
    @Req() request: Request,
    @Res() response: Response,
    @Input(LoginRequest) wanted: In<typeof LoginRequest>,
  ): Promise<void> {
    if ((await this.sessions.identify(request)) !== null) {
      this.answers.goOn(response, wanted.redirect_url);
      return;
    }
    this.answers.showForm(request, response, { ...wanted, user: '' });
  }

  @Post()
  async submit(
    @Req() request: Request,
    @Res() response: Response,
    @FormInput(LoginAttempt) attempt: In<typeof LoginAttempt>,
  ): Promise<void> {
    const texts = textsFor(request);
    // Against login CSRF: another site could log its visitors in to an account of its own.
    if (isFromElsewhere(request, this.config.baseUrl)) {
      this.answers.showForm(request, response, attempt, {
        status: 403,
        problem: texts.fromElsewhere,
      });
      return;
    }
    try {
      // Refuses app passwords: each belongs to one program, and a session may do more.
      const account = LoginRefused.unless(
        await this.login.ownerOfPassword({
          userId: attempt.user.trim(),
          password: attempt.password,
          clientAddress: request.ip ?? '',
        }),
      );
      if (this.rule.needsMore(account)) {
        this.halfLogins.begin(request, response, { account, redirectUrl: attempt.redirect_url });
        this.answers.askForFactor(response);
        return;
      }
      await this.login.enter(account);
      await this.browserSessions.begin(request, response, account.userId, 'password');
      this.answers.goOn(response, attempt.redirect_url);
    } catch (error) {
      this.answers.showForm(request, response, attempt, refusalOf(error, texts));
    }
  }
}

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
