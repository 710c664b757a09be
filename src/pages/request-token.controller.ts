import { Controller, Get, Header, Req, UseGuards } from '@nestjs/common';
import { BasicAuthGuard } from '../common/auth/basic-auth.guard.js';
import type { IdentifiedRequest } from '../common/auth/current-user.decorator.js';

/** Scripts of a page that has been open for long ask here for the token that is valid now. */
@Controller()
@UseGuards(BasicAuthGuard)
export class RequestTokenController {
  /** Empty for a request that brought credentials of its own, which needs none. */
  @Get('/csrftoken')
  @Header('Cache-Control', 'no-store')
  show(@Req() { session }: IdentifiedRequest): { token: string } {
    return { token: session?.requestToken ?? '' };
  }
}
