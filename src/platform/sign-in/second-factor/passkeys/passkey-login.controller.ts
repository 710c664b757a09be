import { Controller, Header, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { isFromElsewhere } from '../../../../common/auth/request-origin.js';
import { Config } from '../../../../common/config/config.js';
import { Public } from '../../../../common/http/current-user.decorator.js';
import { FormInput, type In } from '../../../../common/http/input.decorator.js';
import { LoginAnswers, refusalOf } from '../../forms/login-answers.service.js';
import { textsFor } from '../../forms/login.texts.js';
import { PasskeyPlaces } from '../../forms/passkey-place.service.js';
import { LoginService } from '../../passwords/login.service.js';
import { BrowserSessions } from '../../sessions/browser-sessions.service.js';
import { PasskeyAnswerField } from '../second-factor.input.js';
import { PasskeyLogins } from './passkey-logins.service.js';
import { PasskeysService } from './passkeys.service.js';

const PasskeyAttempt = z.object({
  redirect_url: z.string().default('').catch(''),
  credential: PasskeyAnswerField,
});

/** The login with a passkey instead of name and password. Public: there is no user yet. */
@Controller('login/passkey')
@Public()
export class PasskeyLoginController {
  constructor(
    private readonly passkeys: PasskeysService,
    private readonly passkeyLogins: PasskeyLogins,
    private readonly places: PasskeyPlaces,
    private readonly login: LoginService,
    private readonly browserSessions: BrowserSessions,
    private readonly answers: LoginAnswers,
    private readonly config: Config,
  ) {}

  @Post('options')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async options(@Req() request: Request) {
    return this.passkeys.ask(this.places.of(request), 'login', null);
  }

  @Post()
  async submit(
    @Req() request: Request,
    @Res() response: Response,
    @FormInput(PasskeyAttempt) attempt: In<typeof PasskeyAttempt>,
  ): Promise<void> {
    const { redirect_url, credential: answer } = attempt;
    const texts = textsFor(request);
    const form = { user: '', redirect_url };
    // Against login CSRF: another site could log its visitors in to an account of its own.
    if (isFromElsewhere(request, this.config.baseUrl)) {
      const refusal = { status: 403, problem: texts.fromElsewhere };
      this.answers.showForm(request, response, form, refusal);
      return;
    }
    try {
      const place = this.places.of(request);
      const clientAddress = request.ip ?? '';
      const account = await this.passkeyLogins.login({ place, answer, clientAddress });
      await this.login.enter(account);
      await this.browserSessions.begin(request, response, account.userId, 'passkey');
      this.answers.goOn(response, redirect_url);
    } catch (error) {
      this.answers.showForm(request, response, form, refusalOf(error, texts));
    }
  }
}
