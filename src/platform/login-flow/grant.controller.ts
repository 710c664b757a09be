import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Public } from '../../common/auth/current-user.decorator.js';
import { SessionGate } from '../../common/auth/session-gate.js';
import { Input } from '../../common/http/input.decorator.js';
import { PublicAddress } from '../../common/http/public-address.js';
import { LoginFlowNotFound } from '../platform.errors.js';
import { grantPage, sentencePage } from './grant.page.js';
import { LoginFlowService } from './login-flow.service.js';
import { textsFor } from '../login/login.texts.js';
import { sendPage } from '../login/page.js';

const FlowPath = z.object({ token: z.string() });
const Decision = z.object({ token: z.string(), decision: z.enum(['grant', 'deny']) });

/** The page on which the user grants or denies access. Public: redirects to the login. */
@Controller('login/v2')
@Public()
export class GrantController {
  constructor(
    private readonly flows: LoginFlowService,
    private readonly gate: SessionGate,
    private readonly address: PublicAddress,
  ) {}

  @Get('flow/:token')
  async ask(
    @Req() request: Request,
    @Res() response: Response,
    @Input(FlowPath) { token }: z.output<typeof FlowPath>,
  ): Promise<void> {
    await orSayItIsOver(request, response, async () => {
      const clientName = await this.flows.clientNameOf(token);
      const session = await this.gate.admit(request);
      if (session === undefined) {
        this.#sendToLogin(response, token);
        return;
      }
      const { account, requestToken } = session;
      const action = this.address.pathOf('/login/v2/grant');
      const form = { action, token, requestToken, clientName, account };
      sendPage(response, 200, grantPage(textsFor(request), form));
    });
  }

  @Post('grant')
  async decide(
    @Req() request: Request,
    @Res() response: Response,
    @Input(Decision) { token, decision }: z.output<typeof Decision>,
  ): Promise<void> {
    await orSayItIsOver(request, response, async () => {
      const session = await this.gate.admit(request);
      if (session === undefined) {
        this.#sendToLogin(response, token);
        return;
      }
      const texts = textsFor(request);
      if (decision === 'deny') {
        await this.flows.deny(token);
        sendPage(response, 200, sentencePage(texts, texts.denied));
        return;
      }
      await this.flows.grant(token, session.account.userId, request.ip ?? '');
      sendPage(response, 200, sentencePage(texts, texts.granted));
    });
  }

  #sendToLogin(response: Response, token: string): void {
    const path = `/login/v2/flow/${encodeURIComponent(token)}`;
    const login = this.address.pathOf(`/login?redirect_url=${encodeURIComponent(path)}`);
    response.set('Cache-Control', 'no-store').redirect(303, login);
  }
}

async function orSayItIsOver(
  request: Request,
  response: Response,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof LoginFlowNotFound)) {
      throw error;
    }
    const texts = textsFor(request);
    sendPage(response, 404, sentencePage(texts, texts.flowIsOver));
  }
}
