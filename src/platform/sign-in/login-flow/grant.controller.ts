import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { RecentProof } from '../../../common/auth/recent-proof.js';
import { SessionGate } from '../../../common/auth/session-gate.js';
import { Config } from '../../../common/config/config.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { Public } from '../../../common/http/current-user.decorator.js';
import { Html, html, NOTHING } from '../../../common/http/html.js';
import { FormInput, Input, type In } from '../../../common/http/input.decorator.js';
import type { Session } from '../../../common/ports/sessions.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { LoginFlowNotFound } from '../../platform.errors.js';
import { type Refusal, refusalOf } from '../forms/login-answers.service.js';
import { textsFor, type LoginTexts } from '../forms/login.texts.js';
import { sendPage, type Page } from '../forms/page.js';
import { OidcSettings } from '../oidc.settings.js';
import { ProofService } from '../second-factor/proof.service.js';
import { ProofRefused } from '../second-factor/second-factor.errors.js';
import { mayHavePassword } from '../sign-in.settings.js';
import { LoginFlowService } from './login-flow.service.js';

interface GrantForm {
  /** Path that the form is sent to. */
  readonly action: string;
  readonly token: string;
  readonly requestToken: string;
  readonly clientName: string;
  readonly account: Account;
  /** Requires a proof if the session is too old; undefined in others. */
  readonly proof?: {
    /** Reason of a failed attempt. */
    readonly problem?: string | undefined;
    /** Whether a password of the user is taken. */
    readonly byPassword: boolean;
    /** The identity provider, as an alternative. */
    readonly provider?: { readonly name: string; readonly address: string } | undefined;
  };
}

const FlowPath = z.object({ token: z.string() });
const Decision = z.object({ token: z.string(), decision: z.enum(['grant', 'deny']) });

const ProofForm = z.object({ password: z.string().max(4096).default('') });

interface ShownForm {
  readonly token: string;
  readonly clientName: string;
  readonly session: Session;
  /** Refusal of a proof. */
  readonly refusal?: Refusal;
}

/** The page on which the user grants or denies access. Public: redirects to the login. */
@Controller('login/v2')
@Public()
export class GrantController {
  constructor(
    private readonly flows: LoginFlowService,
    private readonly gate: SessionGate,
    private readonly address: PublicAddress,
    private readonly recentProof: RecentProof,
    private readonly proof: ProofService,
    private readonly oidc: OidcSettings,
    private readonly config: Config,
  ) {}

  @Get('flow/:token')
  async ask(
    @Req() request: Request,
    @Res() response: Response,
    @Input(FlowPath) { token }: In<typeof FlowPath>,
  ): Promise<void> {
    await orSayItIsOver(request, response, async () => {
      const clientName = await this.flows.clientNameOf(token);
      const session = await this.gate.admit(request);
      if (session === undefined) {
        this.#sendToLogin(response, token);
        return;
      }
      this.#showForm(request, response, { token, clientName, session });
    });
  }

  @Post('grant')
  async decide(
    @Req() request: Request,
    @Res() response: Response,
    @Input(Decision) { token, decision }: In<typeof Decision>,
    @FormInput(ProofForm) { password }: In<typeof ProofForm>,
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
      if (!this.recentProof.isRecent(session)) {
        const clientName = await this.flows.clientNameOf(token);
        const refusal = await this.#refusalOfProof(request, session, password);
        if (refusal !== undefined) {
          this.#showForm(request, response, { token, clientName, session, refusal });
          return;
        }
      }
      await this.flows.grant(token, session.account.userId, request.ip ?? '');
      sendPage(response, 200, sentencePage(texts, texts.granted));
    });
  }

  #showForm(
    request: Request,
    response: Response,
    { token, clientName, session, refusal }: ShownForm,
  ): void {
    const { account, requestToken } = session;
    const action = this.address.pathOf('/login/v2/grant');
    const proof = this.recentProof.isRecent(session)
      ? {}
      : {
          proof: {
            problem: refusal?.problem,
            byPassword: mayHavePassword(account.userId, this.config),
            provider: this.#provider(token),
          },
        };
    const form = { action, token, requestToken, clientName, account, ...proof };
    if (refusal?.retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', String(refusal.retryAfterSeconds));
    }
    sendPage(response, refusal?.status ?? 200, grantPage(textsFor(request), form));
  }

  /** @returns undefined for the right password */
  async #refusalOfProof(
    request: Request,
    { account }: Session,
    password: string,
  ): Promise<Refusal | undefined> {
    const texts = textsFor(request);
    try {
      await this.proof.assert(account.userId, { password }, request);
      return undefined;
    } catch (error) {
      return error instanceof ProofRefused
        ? { status: 403, problem: texts.wrongPassword }
        : refusalOf(error, texts);
    }
  }

  #provider(token: string): { name: string; address: string } | undefined {
    const { issuer, name } = this.oidc;
    const path = `/login/v2/flow/${encodeURIComponent(token)}`;
    const query = new URLSearchParams({ again: '1', redirect_url: path }).toString();
    return issuer === ''
      ? undefined
      : { name, address: this.address.pathOf(`/login/oidc?${query}`) };
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

/** Asks the user whether a program may act in their name. */
function grantPage(texts: LoginTexts, form: GrantForm): Page {
  const { action, token, requestToken, clientName, account, proof } = form;
  const content = html`<p>${texts.wantsAccess}</p>
    <p><strong>${clientName}</strong></p>
    <p>${texts.asUser(account.displayName, account.userId)}</p>
    <p>${texts.onlyIfBegun}</p>
    <form method="post" action="${action}">
      <input type="hidden" name="token" value="${token}" />
      <input type="hidden" name="requesttoken" value="${requestToken}" />
      ${proof === undefined ? NOTHING : proofField(texts, proof)}
      <button name="decision" value="grant">${texts.grant}</button>
      <button name="decision" value="deny" class="second">${texts.deny}</button>
    </form>`;
  return { language: texts.language, title: texts.connect, content };
}

function proofField(
  texts: LoginTexts,
  { problem, byPassword, provider }: NonNullable<GrantForm['proof']>,
): Html {
  return html`${problem === undefined ? NOTHING : html`<p role="alert">${problem}</p>`}
  ${
    byPassword
      ? html`<label for="password">${texts.password}</label>
          <input id="password" name="password" type="password" autocomplete="current-password" />`
      : NOTHING
  }
  ${
    provider === undefined
      ? NOTHING
      : html`<a class="button" href="${provider.address}">${texts.loginWith(provider.name)}</a>`
  }`;
}

function sentencePage(texts: LoginTexts, sentence: string): Page {
  const content = html`<p role="status">${sentence}</p>`;
  return { language: texts.language, title: texts.connect, content };
}
