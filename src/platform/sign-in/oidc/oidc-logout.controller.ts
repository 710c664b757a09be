import { Controller, Logger, NotFoundException, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { Public } from '../../../common/http/current-user.decorator.js';
import { Config } from '../../../common/config/config.js';
import { FormInput, type In } from '../../../common/http/input.decorator.js';
import { InvalidLogoutToken } from './logout-token.js';
import { OidcLogoutService } from './oidc-logout.service.js';

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
  readonly #logger = new Logger('IdentityProvider');

  constructor(
    private readonly logout: OidcLogoutService,
    private readonly config: Config,
  ) {}

  /** 200 also without a matching session, as the standard requires. */
  @Post()
  async end(
    @FormInput(LogoutCall) { logout_token }: In<typeof LogoutCall>,
    @Res() response: Response,
  ): Promise<void> {
    const { oidc } = this.config;
    if (oidc === undefined) {
      throw new NotFoundException('No identity provider is configured.');
    }
    try {
      await this.logout.end(oidc, logout_token);
      response.status(200).end();
    } catch (error) {
      if (!(error instanceof InvalidLogoutToken)) {
        throw error;
      }
      this.#logger.warn(`rejected a logout token:  ${error.message}`);
      response.status(400).json({ error: 'invalid_request', error_description: error.message });
    }
  }
}
