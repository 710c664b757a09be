import { Controller, Get, Req, Res, Post } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { STATUS_OF_KIND } from '../../../common/errors/statuses.js';
import { Public } from '../../../common/http/current-user.decorator.js';
import { Input, type In, FormInput } from '../../../common/http/input.decorator.js';
import { SparseWarnings } from '../../../common/logging/sparse-warnings.js';
import { languageOf } from '../../../common/texts/languages.js';
import { textIn } from '../../../common/texts/translations.js';
import { LoginAnswers } from '../forms/login-answers.service.js';
import { OidcSettings } from '../oidc.settings.js';
import { InvalidLogoutToken } from './logout-token.js';
import { OidcLoginService, OidcLogoutService } from './oidc-login.service.js';
import { OidcLoginFailed, type OidcProblem } from './oidc.errors.js';

const LoginRequest = z.object({
  redirect_url: z.string().default('').catch(''),
  again: z.enum(['0', '1']).default('0').catch('0'),
});

/** Login at the identity provider. Public: the user has not logged in yet. */
@Controller('login/oidc')
@Public()
export class OidcController {
  constructor(
    private readonly login: OidcLoginService,
    private readonly answers: LoginAnswers,
    private readonly settings: OidcSettings,
  ) {}

  @Get()
  async begin(
    @Req() request: Request,
    @Res() response: Response,
    @Input(LoginRequest) { redirect_url: redirectUrl, again }: In<typeof LoginRequest>,
  ): Promise<void> {
    await this.#orExplain(request, response, async () => {
      const target = await this.login.begin(request, response, {
        redirectUrl,
        again: again === '1',
      });
      response.set('Cache-Control', 'no-store').redirect(303, target.href);
    });
  }

  @Get('callback')
  async finish(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.#orExplain(request, response, async () => {
      this.answers.goOn(response, await this.login.finish(request, response));
    });
  }

  async #orExplain(request: Request, response: Response, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof OidcLoginFailed)) {
        throw error;
      }
      const problem = problemText(request, error.problem, this.settings.name);
      const status = STATUS_OF_KIND[error.kind];
      this.answers.showForm(request, response, { user: '', redirect_url: '' }, { status, problem });
    }
  }
}

/** In the browser's preferred language among the supported ones. */
function problemText(request: Request, problem: OidcProblem, provider: string): string {
  return textIn(languageOf(request), 'oidc', problem, { provider });
}

const LONGEST_TOKEN = 16_384;

const LogoutCall = z.object({ logout_token: z.string().max(LONGEST_TOKEN).default('').catch('') });

/**
 * Back-channel logout. Public: the provider authenticates itself by its signature on the token.
 *
 * @see https://openid.net/specs/openid-connect-backchannel-1_0.html
 */
@Controller('login/oidc/logout')
@Public()
export class OidcLogoutController {
  readonly #warnings = new SparseWarnings('IdentityProvider');

  constructor(private readonly logout: OidcLogoutService) {}

  /** 200 also without a matching session, as the standard requires. */
  @Post()
  async end(
    @FormInput(LogoutCall) { logout_token }: In<typeof LogoutCall>,
    @Res() response: Response,
  ): Promise<void> {
    try {
      await this.logout.end(logout_token);
      response.status(200).end();
    } catch (error) {
      if (!(error instanceof InvalidLogoutToken)) {
        throw error;
      }
      this.#warnings.warn(`rejected a logout token:  ${error.message}`);
      response.status(400).json({ error: 'invalid_request', error_description: error.message });
    }
  }
}
