import { Controller, Get, NotFoundException, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Public } from '../../../common/http/current-user.decorator.js';
import { Config, type OidcSettings } from '../../../common/config/config.js';
import { STATUS_OF_KIND } from '../../../common/errors/statuses.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { LoginAnswers } from '../forms/login-answers.js';
import { OidcLoginService } from './oidc-login.service.js';
import { OidcLoginFailed } from './oidc.errors.js';
import { problemText } from './oidc.texts.js';

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
    private readonly config: Config,
  ) {}

  @Get()
  async begin(
    @Req() request: Request,
    @Res() response: Response,
    @Input(LoginRequest) { redirect_url: redirectUrl, again }: In<typeof LoginRequest>,
  ): Promise<void> {
    await this.#orExplain(request, response, async (settings) => {
      const target = await this.login.begin(settings, request, response, {
        redirectUrl,
        again: again === '1',
      });
      response.set('Cache-Control', 'no-store').redirect(303, target.href);
    });
  }

  @Get('callback')
  async finish(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.#orExplain(request, response, async (settings) => {
      this.answers.goOn(response, await this.login.finish(settings, request, response));
    });
  }

  async #orExplain(
    request: Request,
    response: Response,
    work: (settings: OidcSettings) => Promise<void>,
  ): Promise<void> {
    const { oidc } = this.config;
    if (oidc === undefined) {
      throw new NotFoundException('No identity provider is configured.');
    }
    try {
      await work(oidc);
    } catch (error) {
      if (!(error instanceof OidcLoginFailed)) {
        throw error;
      }
      const problem = problemText(request, error.problem, oidc.name);
      const status = STATUS_OF_KIND[error.kind];
      this.answers.showForm(request, response, { user: '', redirect_url: '' }, { status, problem });
    }
  }
}
