import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { PublicAddress } from '../../../common/config/public-address.js';
import { LoginFirst } from '../pages.errors.js';

/** Redirects visitors to the login, and from there back to the page. */
@Catch(LoginFirst)
export class LoginRedirect implements ExceptionFilter<LoginFirst> {
  constructor(private readonly address: PublicAddress) {}

  catch({ wanted }: LoginFirst, host: ArgumentsHost): void {
    const query = new URLSearchParams({ redirect_url: wanted });
    host
      .switchToHttp()
      .getResponse<Response>()
      .set('Cache-Control', 'no-store')
      .redirect(302, this.address.pathOf(`/login?${query.toString()}`));
  }
}
