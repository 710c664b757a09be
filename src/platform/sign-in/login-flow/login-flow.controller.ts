import { Controller, Ip, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { PublicAddress } from '../../../common/config/public-address.js';
import { ApiPost } from '../../../common/contracts/routes.js';
import { clientNameOf } from '../../../common/http/client-name.js';
import { Public } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { LoginFlowService } from './login-flow.service.js';

const BegunFlowAnswer = z.object({
  poll: z.object({ token: z.string(), endpoint: z.string() }),
  login: z.string().describe('The page to open in a browser.'),
});

const FlowCredentialsAnswer = z.object({
  server: z.string(),
  loginName: z.string(),
  appPassword: z.string(),
});

/** Access was not granted yet, or the credentials were fetched. */
const NoCredentialsAnswer = z.array(z.unknown()).max(0);

const PollRequest = z.object({ token: z.string().max(200).default('') });

/**
 * The program's half of login flow v2. Public: programs have no credentials yet, and poll with an
 * unguessable token.
 */
@Controller('login/v2')
@Public()
export class LoginFlowController {
  constructor(
    private readonly flows: LoginFlowService,
    private readonly address: PublicAddress,
  ) {}

  @ApiPost('', 'Begins a login of a program in the browser.', BegunFlowAnswer)
  async begin(@Req() request: Request, @Ip() clientAddress: string) {
    const { pollToken, loginToken } = await this.flows.begin(clientNameOf(request), clientAddress);
    const root = this.address.rootFor(request);
    return {
      poll: { token: pollToken, endpoint: `${root}/login/v2/poll` },
      login: `${root}/login/v2/flow/${loginToken}`,
    };
  }

  @ApiPost('poll', 'Fetches the credentials, once access was granted.', FlowCredentialsAnswer, {
    errors: { 404: NoCredentialsAnswer },
  })
  async poll(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Input(PollRequest) { token }: In<typeof PollRequest>,
  ) {
    response.setHeader('Cache-Control', 'no-store');
    const credentials = await this.flows.take(token);
    if (credentials === null) {
      response.status(404);
      return [];
    }
    return { server: this.address.rootFor(request), ...credentials };
  }
}
