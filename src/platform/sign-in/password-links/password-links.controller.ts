import { Controller, Get, NotFoundException, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { isFromElsewhere } from '../../../common/auth/request-origin.js';
import { Config } from '../../../common/config/config.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { STATUS_OF_KIND } from '../../../common/errors/statuses.js';
import { Public } from '../../../common/http/current-user.decorator.js';
import { FormInput, type In } from '../../../common/http/input.decorator.js';
import { languageOf } from '../../../common/texts/languages.js';
import { sentenceIn } from '../../../common/texts/translations.js';
import { InvalidPassword } from '../../platform.errors.js';
import { type Refusal, refusalOf as refusalOfLogin } from '../forms/login-answers.service.js';
import { textsFor, type LoginTexts } from '../forms/login.texts.js';
import { sendPage, type Page } from '../forms/page.js';
import { LinkPasswordsService } from './link-passwords.service.js';
import { PasswordLinkNotFound, TooManyPasswordLinks } from './password-links.errors.js';
import {
  forgottenPage,
  linkSentPage,
  newPasswordPage,
  passwordSetPage,
} from './password-links.page.js';
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

interface Submission {
  readonly form: (problem: string) => Page;
  /** @returns why it was refused */
  readonly work: () => Promise<Refusal | void>;
  readonly done: (texts: LoginTexts, loginPath: string) => Page;
}

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
    const form = (problem: string) =>
      forgottenPage(textsFor(request), { action: this.#forgotten, user, problem });
    const asked = { asked: user, language: languageOf(request) };
    const work = () => this.requests.ask(asked, request.ip ?? '');
    await this.#submit(request, response, { form, work, done: linkSentPage });
  }

  /** The token is not in the request: it is in the fragment of the address. */
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
    const form = (problem: string) =>
      newPasswordPage(texts, { action: this.#password, token, problem });
    const work = async (): Promise<Refusal | void> => {
      if (password !== repeated) {
        return { status: 422, problem: texts.passwordsDiffer };
      }
      const clientAddress = request.ip ?? '';
      await this.passwords.set({ token, password, language: languageOf(request), clientAddress });
    };
    await this.#submit(request, response, { form, work, done: passwordSetPage });
  }

  /** Shows the form again with the error, or the success page. */
  async #submit(
    request: Request,
    response: Response,
    { form, work, done }: Submission,
  ): Promise<void> {
    const texts = textsFor(request);
    const refusal = isFromElsewhere(request, this.config.baseUrl)
      ? { status: 403, problem: texts.fromElsewhere }
      : await work().catch((error: unknown) => refusalOf(error, texts, languageOf(request)));
    if (refusal) {
      sendRefusal(response, refusal);
      sendPage(response, refusal.status, form(refusal.problem));
    } else {
      sendPage(response, 200, done(texts, this.address.pathOf('/login')));
    }
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
  language: ReturnType<typeof languageOf>,
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
