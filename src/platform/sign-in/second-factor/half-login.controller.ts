import { PasskeyRefused } from '../../platform.errors.js';
import { Controller, Get, Header, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Public } from '../../../common/http/current-user.decorator.js';
import { isFromElsewhere } from '../../../common/auth/request-origin.js';
import { Config } from '../../../common/config/config.js';
import { FormInput, type In } from '../../../common/http/input.decorator.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { LoginAnswers, type Refusal, refusalOf } from '../forms/login-answers.js';
import { textsFor } from '../forms/login.texts.js';
import { sendPage } from '../forms/page.js';
import type { PasskeyForm } from '../forms/passkey-form.js';
import { PasskeyPlaces } from '../forms/passkey-place.js';
import { PasskeyAnswerField } from './second-factor.input.js';
import { PasskeysService } from './passkeys/passkeys.service.js';
import { codePage, recoveryCodesPage, setUpPage } from './half-login.page.js';
import { HalfLogins, type HalfLogin } from './half-logins.js';
import { SecondFactorsService } from './second-factors.service.js';

/** A code, or the answer of a passkey. */
const FactorForm = z.object({
  code: z.string().max(200).default(''),
  credential: PasskeyAnswerField.optional(),
});

/** Asks for the second factor. Public: the user has entered the password, and has no session yet. */
@Controller('login/second-factor')
@Public()
export class HalfLoginController {
  constructor(
    private readonly halfLogins: HalfLogins,
    private readonly factors: SecondFactorsService,
    private readonly passkeys: PasskeysService,
    private readonly places: PasskeyPlaces,
    private readonly answers: LoginAnswers,
    private readonly address: PublicAddress,
    private readonly config: Config,
  ) {}

  @Get()
  async show(@Req() request: Request, @Res() response: Response): Promise<void> {
    const half = await this.halfLogins.find(request);
    if (half === null) {
      this.answers.startOver(response);
      return;
    }
    await this.#showForm(request, response, half);
  }

  @Post('options')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async options(@Req() request: Request) {
    const half = await this.halfLogins.find(request);
    if (half === null) {
      throw new PasskeyRefused();
    }
    return this.passkeys.ask(this.places.of(request), 'second factor', half.account.userId);
  }

  @Post()
  async submit(
    @Req() request: Request,
    @Res() response: Response,
    @FormInput(FactorForm) { code, credential }: In<typeof FactorForm>,
  ): Promise<void> {
    const texts = textsFor(request);
    const half = await this.halfLogins.find(request);
    if (half === null) {
      this.answers.startOver(response);
      return;
    }
    if (isFromElsewhere(request, this.config.baseUrl)) {
      await this.#showForm(request, response, half, { status: 403, problem: texts.fromElsewhere });
      return;
    }
    try {
      if (half.secret === undefined) {
        const factor = { code, passkey: credential };
        await this.halfLogins.complete(request, response, half, factor);
        this.answers.goOn(response, half.redirectUrl);
        return;
      }
      const codes = await this.halfLogins.setUp(request, response, half, code);
      const next = this.answers.pathAfter(half.redirectUrl);
      sendPage(response, 200, recoveryCodesPage(texts, { codes, next }));
    } catch (error) {
      await this.#showForm(request, response, half, refusalOf(error, texts));
    }
  }

  async #showForm(
    request: Request,
    response: Response,
    { account, secret }: HalfLogin,
    refusal?: Refusal,
  ): Promise<void> {
    if (refusal?.retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', String(refusal.retryAfterSeconds));
    }
    const texts = textsFor(request);
    const form = {
      action: this.address.pathOf('/login/second-factor'),
      startOver: this.address.pathOf('/login'),
      problem: refusal?.problem,
    };
    const page =
      secret === undefined
        ? codePage(texts, { ...form, passkey: await this.#passkey(request, account.userId) })
        : setUpPage(texts, {
            ...form,
            secret,
            address: this.factors.addressOf(secret, account.userId),
          });
    sendPage(response, refusal?.status ?? 200, page);
  }

  async #passkey(request: Request, userId: string): Promise<PasskeyForm | undefined> {
    const place = this.places.find(request);
    return place !== null && (await this.passkeys.hasAny(userId, place))
      ? {
          action: this.address.pathOf('/login/second-factor'),
          optionsPath: this.address.pathOf('/login/second-factor/options'),
        }
      : undefined;
  }
}
