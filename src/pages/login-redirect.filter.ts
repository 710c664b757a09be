import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { PublicAddress } from '../common/http/public-address.js';
import { LogInFirst } from './pages.errors.js';

/** Sends visitors to the log-in, and from there to the page that they wanted. */
@Catch(LogInFirst)
export class LogInRedirect implements ExceptionFilter<LogInFirst> {
  constructor(private readonly address: PublicAddress) {}

  catch({ wanted }: LogInFirst, host: ArgumentsHost): void {
    const query = new URLSearchParams({ redirect_url: wanted });
    host
      .switchToHttp()
      .getResponse<Response>()
      .set('Cache-Control', 'no-store')
      .redirect(302, this.address.pathOf(`/login?${query.toString()}`));
  }
}
