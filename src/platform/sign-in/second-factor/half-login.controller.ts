import { Controller, Get, Header, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { encodeQR } from 'qr';
import { z } from 'zod';
import { isFromElsewhere } from '../../../common/auth/request-origin.js';
import { Config } from '../../../common/config/config.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { Public } from '../../../common/http/current-user.decorator.js';
import { html, NOTHING, Html } from '../../../common/http/html.js';
import { FormInput, type In } from '../../../common/http/input.decorator.js';
import { PasskeyRefused } from '../../platform.errors.js';
import { LoginAnswers, type Refusal, refusalOf } from '../forms/login-answers.service.js';
import { textsFor, type LoginTexts } from '../forms/login.texts.js';
import { sendPage, type Page } from '../forms/page.js';
import { type PasskeyForm, PASSKEY_SCRIPT, passkeyForm } from '../forms/passkey-form.js';
import { PasskeyPlaces } from '../forms/passkey-place.service.js';
import { HalfLogins, type HalfLogin } from './half-logins.service.js';
import { PasskeysService } from './passkeys/passkeys.service.js';
import { PasskeyAnswerField } from './second-factor.input.js';
import { SecondFactorsService } from './second-factors.service.js';

const FactorForm = z.object({
  code: z.string().max(200).default(''),
  credential: PasskeyAnswerField.optional(),
});

/** Requests the second factor. Public: the user has entered the password, and has no session yet. */
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
    const half = PasskeyRefused.unless(await this.halfLogins.find(request));
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

interface CodeForm {
  /** Path that the form is sent to. */
  readonly action: string;
  /** Path of the login page. */
  readonly startOver: string;
  /** Reason of the failed attempt. */
  readonly problem: string | undefined;
  /** Undefined if the user has no passkey. */
  readonly passkey: PasskeyForm | undefined;
}

/** Page that requests a second factor after the password. */
export function codePage(
  texts: LoginTexts,
  { action, startOver, problem, passkey }: CodeForm,
): Page {
  const content = html`${problem === undefined ? NOTHING : html`<p role="alert">${problem}</p>`}
    ${passkey === undefined ? NOTHING : passkeyForm(texts, texts.confirmWithPasskey, passkey)}
    <p id="hint">${texts.codeHint}</p>
    <form method="post" action="${action}">
      <label for="code">${texts.code}</label>
      <input
        id="code"
        name="code"
        aria-describedby="hint"
        autocomplete="one-time-code"
        autocapitalize="none"
        spellcheck="false"
        maxlength="200"
        required
        autofocus
      />
      <button>${texts.login}</button>
    </form>
    <a class="button" href="${startOver}">${texts.startOver}</a>`;
  return {
    language: texts.language,
    title: texts.codeTitle,
    content,
    ...(passkey === undefined ? {} : PASSKEY_SCRIPT),
  };
}

interface SetUpForm extends Omit<CodeForm, 'passkey'> {
  /** Base32. */
  readonly secret: string;
  /** `otpauth:` address of the secret. */
  readonly address: string;
}

interface ShownCodes {
  readonly codes: readonly string[];
  /** Path after the login. */
  readonly next: string;
}

/** Page to set up an authenticator app before the login is complete. */
export function setUpPage(texts: LoginTexts, form: SetUpForm): Page {
  const { action, startOver, secret, address, problem } = form;
  const content = html`${problem === undefined ? NOTHING : html`<p role="alert">${problem}</p>`}
    <p>${texts.factorRequired}</p>
    <p>${texts.scan}</p>
    ${qrCode(address, texts.qrCode)}
    <p><a href="${address}">${texts.openApp}</a></p>
    <p>${texts.secret}<br /><code>${secret}</code></p>
    <form method="post" action="${action}">
      <label for="code">${texts.codeOfApp}</label>
      <input
        id="code"
        name="code"
        inputmode="numeric"
        autocomplete="one-time-code"
        maxlength="10"
        required
      />
      <button>${texts.confirm}</button>
    </form>
    <a class="button" href="${startOver}">${texts.startOver}</a>`;
  return { language: texts.language, title: texts.setUpTitle, content };
}

/** Shows recovery codes, once. */
export function recoveryCodesPage(texts: LoginTexts, { codes, next }: ShownCodes): Page {
  const items = codes.map((code) => html`<li><code>${code}</code></li>`.markup).join('');
  const content = html`<p>${texts.keepCodes}</p>
    <ul>
      ${new Html(items)}
    </ul>
    <a class="button" href="${next}">${texts.goOn}</a>`;
  return { language: texts.language, title: texts.recoveryCodes, content };
}

/** Inline SVG: the page's policy allows no pictures. */
function qrCode(text: string, label: string): Html {
  const squares = encodeQR(text, 'raw', { ecc: 'medium', border: 4 });
  const path = squares
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('');
  const size = String(squares.length);
  return html`<svg
    role="img"
    aria-label="${label}"
    viewBox="0 0 ${size} ${size}"
    shape-rendering="crispEdges"
  >
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${path}" fill="#000" />
  </svg>`;
}
