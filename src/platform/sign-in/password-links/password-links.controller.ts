import { Controller, Get, NotFoundException, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Public } from '../../../common/http/current-user.decorator.js';
import { isFromElsewhere } from '../../../common/auth/request-origin.js';
import { Config } from '../../../common/config/config.js';
import { STATUS_OF_KIND } from '../../../common/errors/statuses.js';
import { FormInput, type In } from '../../../common/http/input.decorator.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { languageOf } from '../../../common/texts/languages.js';
import { sentenceIn } from '../../../common/texts/translations.js';
import { type Refusal, refusalOf as refusalOfLogin } from '../forms/login-answers.js';
import { textsFor, type LoginTexts } from '../forms/login.texts.js';
import { sendPage } from '../forms/page.js';
import { InvalidPassword } from '../../platform.errors.js';
import {
  forgottenPage,
  linkSentPage,
  newPasswordPage,
  passwordSetPage,
} from './password-links.page.js';
import { LinkPasswordsService } from './link-passwords.service.js';
import { PasswordLinkNotFound, TooManyPasswordLinks } from './password-links.errors.js';
import { ResetRequestsService } from './reset-requests.service.js';

/** PostgreSQL takes no zero bytes, and no name has any. */
const withoutZeros = (user: string) => user.replaceAll('\0', '');
const Forgotten = z.object({
  user: z.string().trim().max(254).transform(withoutZeros).default(''),
});
const NewPassword = z.object({
  token: z.string().trim().max(200).default(''),
  password: z.string().max(4096).default(''),
  repeated: z.string().max(4096).default(''),
});

/** Pages for links of mails. Public: who needs them cannot log in. */
@Controller('login')
@Public()
export class PasswordLinksController {
  constructor(
    private readonly requests: ResetRequestsService,
    private readonly passwords: LinkPasswordsService,
    private readonly address: PublicAddress,
    private readonly config: Config,
  ) {}

  @Get('forgotten')
  showForgotten(@Req() request: Request, @Res() response: Response): void {
    this.#assertOffered();
    sendPage(
      response,
      200,
      forgottenPage(textsFor(request), { action: this.#forgotten, user: '' }),
    );
  }

  @Post('forgotten')
  async ask(
    @Req() request: Request,
    @Res() response: Response,
    @FormInput(Forgotten) { user }: In<typeof Forgotten>,
  ): Promise<void> {
    this.#assertOffered();
    const texts = textsFor(request);
    const refuse = (refusal: Refusal): void => {
      const { problem } = refusal;
      sendRefusal(response, refusal);
      const form = { action: this.#forgotten, user, problem };
      sendPage(response, refusal.status, forgottenPage(texts, form));
    };
    if (isFromElsewhere(request, this.config.baseUrl)) {
      refuse({ status: 403, problem: texts.fromElsewhere });
      return;
    }
    try {
      const language = languageOf(request);
      await this.requests.ask({ asked: user, language }, request.ip ?? '');
    } catch (error) {
      refuse(refusalOf(error, texts));
      return;
    }
    sendPage(response, 200, linkSentPage(texts, this.address.pathOf('/login')));
  }

  /** Without the token, which is in the fragment of the address. */
  @Get('password')
  showNewPassword(@Req() request: Request, @Res() response: Response): void {
    const form = { action: this.#password, token: '' };
    sendPage(response, 200, newPasswordPage(textsFor(request), form));
  }

  @Post('password')
  async set(
    @Req() request: Request,
    @Res() response: Response,
    @FormInput(NewPassword) { token, password, repeated }: In<typeof NewPassword>,
  ): Promise<void> {
    const texts = textsFor(request);
    const refuse = (refusal: Refusal): void => {
      const { problem } = refusal;
      sendRefusal(response, refusal);
      const form = { action: this.#password, token, problem };
      sendPage(response, refusal.status, newPasswordPage(texts, form));
    };
    if (isFromElsewhere(request, this.config.baseUrl)) {
      refuse({ status: 403, problem: texts.fromElsewhere });
      return;
    }
    if (password !== repeated) {
      refuse({ status: 422, problem: texts.passwordsDiffer });
      return;
    }
    try {
      const language = languageOf(request);
      const clientAddress = request.ip ?? '';
      await this.passwords.set({ token, password, language, clientAddress });
    } catch (error) {
      refuse(refusalOf(error, texts, languageOf(request)));
      return;
    }
    sendPage(response, 200, passwordSetPage(texts, this.address.pathOf('/login')));
  }

  get #forgotten(): string {
    return this.address.pathOf('/login/forgotten');
  }

  get #password(): string {
    return this.address.pathOf('/login/password');
  }

  #assertOffered(): void {
    if (!this.requests.isOffered) {
      throw new NotFoundException('No mail server is configured.');
    }
  }
}

function sendRefusal(response: Response, { retryAfterSeconds }: Refusal): void {
  if (retryAfterSeconds !== undefined) {
    response.setHeader('Retry-After', String(retryAfterSeconds));
  }
}

/** Rethrows errors that are not about the input. */
function refusalOf(
  error: unknown,
  texts: LoginTexts,
  language: ReturnType<typeof languageOf> = 'en',
): Refusal {
  if (error instanceof PasswordLinkNotFound) {
    return { status: STATUS_OF_KIND[error.kind], problem: texts.linkOver };
  }
  if (error instanceof InvalidPassword) {
    return { status: STATUS_OF_KIND[error.kind], problem: sentenceIn(language, error.message) };
  }
  if (error instanceof TooManyPasswordLinks) {
    const { retryAfterSeconds } = error;
    return { status: 429, problem: texts.tooManyLinks(retryAfterSeconds), retryAfterSeconds };
  }
  return refusalOfLogin(error, texts);
}
