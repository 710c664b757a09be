import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Public } from '../../common/auth/current-user.decorator.js';
import { isFromElsewhere } from '../../common/auth/request-origin.js';
import { Config } from '../../common/config/config.js';
import { FormInput, Input } from '../../common/http/input.decorator.js';
import { Sessions } from '../../common/ports/sessions.js';
import {
  DirectoryUnavailable,
  LoginRefused,
  TooManyLoginAttempts,
  TooManyVerifications,
} from '../platform.errors.js';
import { BrowserSessions } from '../sessions/browser-sessions.js';
import { FormLoginService } from './form-login.service.js';
import { LoginAnswers, type Refusal } from './login-answers.js';
import { textsFor, type LoginTexts } from './login.texts.js';

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
    private readonly login: FormLoginService,
    private readonly sessions: Sessions,
    private readonly browserSessions: BrowserSessions,
    private readonly answers: LoginAnswers,
    private readonly config: Config,
  ) {}

  @Get()
  async show(
    @Req() request: Request,
    @Res() response: Response,
    @Input(LoginRequest) wanted: z.output<typeof LoginRequest>,
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
    @FormInput(LoginAttempt) attempt: z.output<typeof LoginAttempt>,
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
      const { userId } = await this.login.authenticate({
        userId: attempt.user.trim(),
        password: attempt.password,
        clientAddress: request.ip ?? '',
      });
      await this.browserSessions.begin(request, response, userId, 'password');
      this.answers.goOn(response, attempt.redirect_url);
    } catch (error) {
      this.answers.showForm(request, response, attempt, refusalOf(error, texts));
    }
  }
}

/** Rethrows errors that are not about the credentials. */
function refusalOf(error: unknown, texts: LoginTexts): Refusal {
  if (error instanceof LoginRefused) {
    return { status: 403, problem: texts.wrongCredentials };
  }
  if (error instanceof TooManyLoginAttempts) {
    const { retryAfterSeconds } = error;
    return { status: 429, problem: texts.tooManyAttempts(retryAfterSeconds), retryAfterSeconds };
  }
  if (error instanceof TooManyVerifications) {
    return { status: 503, problem: texts.busy, retryAfterSeconds: error.retryAfterSeconds };
  }
  if (error instanceof DirectoryUnavailable) {
    const { retryAfterSeconds } = error;
    return { status: 503, problem: texts.directoryAway, retryAfterSeconds };
  }
  throw error;
}
