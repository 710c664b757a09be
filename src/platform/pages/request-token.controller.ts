import { Controller, Get, Header, Req, UseGuards } from '@nestjs/common';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import type { IdentifiedRequest } from '../../common/http/current-user.decorator.js';
import { Operation } from '../../common/contracts/operation.decorator.js';
import { RequestTokenAnswer } from './request-token.wire.js';

/** The current CSRF token, for scripts of pages that have been open for long. */
@Controller()
@UseGuards(BasicAuthGuard)
export class RequestTokenController {
  /** Empty for a request with explicit credentials, which needs none. */
  @Get('/csrftoken')
  @Header('Cache-Control', 'no-store')
  @Operation('Sends the CSRF token of the session.', RequestTokenAnswer)
  show(@Req() { session }: IdentifiedRequest): { token: string } {
    return { token: session?.requestToken ?? '' };
  }
}
