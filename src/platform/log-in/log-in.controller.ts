import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Public } from '../../common/auth/current-user.decorator.js';
import { isFromElsewhere } from '../../common/auth/request-origin.js';
import { Config } from '../../common/config/config.js';
import { Input } from '../../common/http/input.decorator.js';
import { PublicAddress } from '../../common/http/public-address.js';
import { Sessions } from '../../common/ports/sessions.js';
import { LogInRefused, TooManyLoginAttempts, TooManyVerifications } from '../platform.errors.js';
import { BrowserSessions } from '../sessions/browser-sessions.js';
import { FormLogInService } from './form-log-in.service.js';
import { logInPage } from './log-in.page.js';
import { textsFor, type LogInTexts } from './log-in.texts.js';
import { ownPath } from './own-path.js';
import { sendPage } from './page.js';

/** Where people land who were not on the way to anywhere. */
const HOME_PATH = '/apps/news/';

const redirectUrl = z.string().default('').catch('');
const LogInRequest = z.object({ redirect_url: redirectUrl });
const LogInAttempt = z.object({
  redirect_url: redirectUrl,
  user: z.string().max(200).default(''),
  password: z.string().max(4096).default(''),
});

/** Why an attempt failed, as the form says it. */
interface Refusal {
  readonly status: number;
  readonly problem: string;
  readonly retryAfterSeconds?: number | undefined;
}

/** The page on which people log in. Public, since nobody who needs it has logged in. */
@Controller('login')
@Public()
export class LogInController {
  constructor(
    private readonly logIn: FormLogInService,
    private readonly sessions: Sessions,
    private readonly browserSessions: BrowserSessions,
    private readonly address: PublicAddress,
    private readonly config: Config,
  ) {}

  @Get()
  async show(
    @Req() request: Request,
    @Res() response: Response,
    @Input(LogInRequest) wanted: z.output<typeof LogInRequest>,
  ): Promise<void> {
    if ((await this.sessions.identify(request)) !== null) {
      this.#goOn(response, wanted.redirect_url);
      return;
    }
    this.#showForm(request, response, { ...wanted, user: '' });
  }

  @Post()
  async submit(
    @Req() request: Request,
    @Res() response: Response,
    @Input(LogInAttempt) attempt: z.output<typeof LogInAttempt>,
  ): Promise<void> {
    const texts = textsFor(request);
    // Else another site could log its visitors in under a name of its own, and read along.
    if (isFromElsewhere(request, this.config.baseUrl)) {
      this.#showForm(request, response, attempt, { status: 403, problem: texts.fromElsewhere });
      return;
    }
    try {
      const { userId } = await this.logIn.authenticate({
        userId: attempt.user.trim(),
        password: attempt.password,
        clientAddress: request.ip ?? '',
      });
      await this.browserSessions.begin(request, response, userId, 'password');
      this.#goOn(response, attempt.redirect_url);
    } catch (error) {
      this.#showForm(request, response, attempt, refusalOf(error, texts));
    }
  }

  #goOn(response: Response, redirectTo: string): void {
    const path = ownPath(redirectTo, this.config.baseUrl) ?? HOME_PATH;
    response.set('Cache-Control', 'no-store').redirect(303, this.address.pathOf(path));
  }

  #showForm(
    request: Request,
    response: Response,
    { user, redirect_url }: { readonly user: string; readonly redirect_url: string },
    refusal?: Refusal,
  ): void {
    if (refusal?.retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', String(refusal.retryAfterSeconds));
    }
    const form = {
      action: this.address.pathOf('/login'),
      userId: user,
      redirectUrl: redirect_url,
      ...(refusal === undefined ? {} : { problem: refusal.problem }),
    };
    sendPage(response, refusal?.status ?? 200, logInPage(textsFor(request), form));
  }
}

/** Rethrows whatever is no fault of the attempt. */
function refusalOf(error: unknown, texts: LogInTexts): Refusal {
  if (error instanceof LogInRefused) {
    return { status: 403, problem: texts.wrongCredentials };
  }
  if (error instanceof TooManyLoginAttempts) {
    const { retryAfterSeconds } = error;
    return { status: 429, problem: texts.tooManyAttempts(retryAfterSeconds), retryAfterSeconds };
  }
  if (error instanceof TooManyVerifications) {
    return { status: 503, problem: texts.busy, retryAfterSeconds: error.retryAfterSeconds };
  }
  throw error;
}
