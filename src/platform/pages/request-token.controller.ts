import { Controller, Header, Req, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { Get } from '../../common/contracts/routes.js';
import type { IdentifiedRequest } from '../../common/http/current-user.decorator.js';

const RequestTokenAnswer = z.object({ token: z.string() });

/** The current CSRF token, for scripts of pages that have been open for long. */
@Controller()
@UseGuards(BasicAuthGuard)
export class RequestTokenController {
  /** Empty for a request with explicit credentials, which needs none. */
  @Get('/csrftoken', 'Sends the CSRF token of the session.', RequestTokenAnswer)
  @Header('Cache-Control', 'no-store')
  show(@Req() { session }: IdentifiedRequest) {
    return { token: session?.requestToken ?? '' };
  }
}
