import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../../common/config/config.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { html, NOTHING, type Html } from '../../../common/http/html.js';
import { plainAddress } from '../../../common/http/plain-address.js';
import {
  WrongCode,
  PasskeyRefused,
  PasskeyNotEnough,
  DirectoryUnavailable,
  LoginRefused,
  TooManyLoginAttempts,
  TooManyVerifications,
} from '../../platform.errors.js';
import { OidcSettings } from '../oidc.settings.js';
import { SignInSettings } from '../sign-in.settings.js';
import { FORGET_KEPT_DATA } from './forget-kept-data.js';
import { textsFor, type LoginTexts } from './login.texts.js';
import { sendPage, type Page } from './page.js';
import { type PasskeyForm, PASSKEY_SCRIPT, passkeyForm } from './passkey-form.js';
import { PasskeyPlaces } from './passkey-place.service.js';

/** Contents of the form, initially or after a failed attempt. */
interface LoginForm {
  /** Path that the form is sent to. */
  readonly action: string;
  readonly userId: string;
  readonly redirectUrl: string;
  /** Reason of the failed attempt. */
  readonly problem?: string;
  /** `folded`: it is for few. */
  readonly fields: 'shown' | 'folded' | 'none';
  /** Path of the page for users who have forgotten their password. */
  readonly forgottenPath?: string;
  /** The identity provider, as an alternative. */
  readonly provider?: { readonly name: string; readonly address: string };
  /** Undefined where there are no passkeys. */
  readonly passkey?: PasskeyForm | undefined;
}

/** Pages that would redirect to the login again. */
const NOT_AFTER_LOG_IN = /^\/(?:login|logout)(?:[?#]|$)/;

/** Default target after the login. */
const HOME_PATH = '/apps/news/';

/** Reason of a failed attempt, as the form shows it. */
export interface Refusal {
  readonly status: number;
  readonly problem: string;
  readonly retryAfterSeconds?: number | undefined;
}

/** Responses of all kinds of login: the form, or a redirect. */
@Injectable()
export class LoginAnswers {
  constructor(
    private readonly address: PublicAddress,
    private readonly places: PasskeyPlaces,
    private readonly config: Config,
    private readonly oidc: OidcSettings,
    private readonly settings: SignInSettings,
  ) {}

  /** @param redirectTo untrusted; an invalid one leads to the start page */
  goOn(response: Response, redirectTo: string): void {
    redirect(response, this.pathAfter(redirectTo));
  }

  /** The path after the login, for a link. @param redirectTo as for `goOn` */
  pathAfter(redirectTo: string): string {
    return this.address.pathOf(ownPath(redirectTo, this.config.baseUrl) ?? HOME_PATH);
  }

  /** The password was right, and a second factor is needed. */
  askForFactor(response: Response): void {
    redirect(response, this.address.pathOf('/login/second-factor'));
  }

  /** There is no login in progress. */
  startOver(response: Response): void {
    redirect(response, this.address.pathOf('/login'));
  }

  showForm(
    request: Request,
    response: Response,
    { user, redirect_url }: { readonly user: string; readonly redirect_url: string },
    refusal?: Refusal,
  ): void {
    if (refusal?.retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', String(refusal.retryAfterSeconds));
    }
    const form = {
      action: this.address.pathOf('/login'),
      userId: user,
      redirectUrl: redirect_url,
      ...(refusal === undefined ? {} : { problem: refusal.problem }),
      fields: this.#fields(),
      ...this.#provider(redirect_url),
      passkey: this.#passkey(request, redirect_url),
      ...(this.config.parts.has('mail') &&
        this.settings.takesPasswords && {
          forgottenPath: this.address.pathOf('/login/forgotten'),
        }),
    };
    sendPage(response, refusal?.status ?? 200, loginPage(textsFor(request), form));
  }

  #fields(): LoginForm['fields'] {
    if (this.settings.passwordLogin || this.config.parts.has('ldap')) {
      return 'shown';
    }
    return this.settings.takesPasswords ? 'folded' : 'none';
  }

  #passkey(request: Request, redirectUrl: string): PasskeyForm | undefined {
    return this.places.find(request) === null
      ? undefined
      : {
          action: this.address.pathOf('/login/passkey'),
          optionsPath: this.address.pathOf('/login/passkey/options'),
          redirectUrl,
        };
  }

  #provider(redirectUrl: string): { provider?: { name: string; address: string } } {
    const { issuer, name } = this.oidc;
    const query = new URLSearchParams({ redirect_url: redirectUrl }).toString();
    return issuer === ''
      ? {}
      : { provider: { name, address: this.address.pathOf(`/login/oidc?${query}`) } };
  }
}

function redirect(response: Response, path: string): void {
  response.set('Cache-Control', 'no-store').redirect(303, path);
}

/**
 * Validates the target of the redirect after the login. Prevents open redirects.
 *
 * @param wanted path and query, with or without the path prefix of the installation
 * @param baseUrl public address of the installation, whose path is the prefix
 * @returns null for paths that browsers may read as another origin, and for the login itself
 */
export function ownPath(wanted: string, baseUrl: string | undefined): string | null {
  // Browsers read "\" as "/" and drop control characters.
  if (!/^\/[!-~]*$/.test(wanted) || /^\/\/|\\/.test(wanted)) {
    return null;
  }
  const path = plainAddress(wanted, baseUrl);
  return NOT_AFTER_LOG_IN.test(path) ? null : path;
}

/** The login form's message for an error. Rethrows errors that are not about the credentials. */
export function refusalOf(error: unknown, texts: LoginTexts): Refusal {
  if (error instanceof LoginRefused) {
    return { status: 403, problem: texts.wrongCredentials };
  }
  if (error instanceof WrongCode) {
    return { status: 403, problem: texts.wrongCode };
  }
  if (error instanceof PasskeyRefused) {
    return { status: 403, problem: texts.passkeyRefused };
  }
  if (error instanceof PasskeyNotEnough) {
    return { status: 403, problem: texts.passkeyNotEnough };
  }
  if (error instanceof TooManyLoginAttempts) {
    const { retryAfterSeconds } = error;
    return { status: 429, problem: texts.tooManyAttempts(retryAfterSeconds), retryAfterSeconds };
  }
  if (error instanceof TooManyVerifications) {
    return { status: 503, problem: texts.busy, retryAfterSeconds: error.retryAfterSeconds };
  }
  if (error instanceof DirectoryUnavailable) {
    const { retryAfterSeconds } = error;
    return { status: 503, problem: texts.directoryAway, retryAfterSeconds };
  }
  throw error;
}

export function loginPage(texts: LoginTexts, form: LoginForm): Page {
  const { problem, fields, provider, passkey } = form;
  const content = html`${problem === undefined ? NOTHING : html`<p role="alert">${problem}</p>`}
  ${fields === 'shown' ? passwordForm(texts, form) : NOTHING}
  ${fields === 'shown' || provider !== undefined ? NOTHING : html`<p>${texts.elsewhere}</p>`}
  ${passkey === undefined ? NOTHING : passkeyForm(texts, texts.loginWithPasskey, passkey)}
  ${
    provider === undefined
      ? NOTHING
      : html`<a class="button" href="${provider.address}">${texts.loginWith(provider.name)}</a>`
  }
  ${
    fields === 'folded'
      ? html`<details ${problem === undefined ? '' : 'open'}>
          <summary>${texts.withPassword}</summary>
          ${passwordForm(texts, form)}
        </details>`
      : NOTHING
  }`;
  return {
    language: texts.language,
    title: texts.login,
    content,
    script: FORGET_KEPT_DATA + (passkey === undefined ? '' : PASSKEY_SCRIPT.script),
    fetches: passkey !== undefined,
  };
}

function passwordForm(texts: LoginTexts, form: LoginForm): Html {
  const { action, userId, redirectUrl, forgottenPath } = form;
  return html`<form method="post" action="${action}">
      <input type="hidden" name="redirect_url" value="${redirectUrl}" />
      <label for="user">${texts.user}</label>
      <input
        id="user"
        name="user"
        value="${userId}"
        autocomplete="username"
        autocapitalize="none"
        spellcheck="false"
        required
        ${userId === '' ? 'autofocus' : ''}
      />
      <label for="password">${texts.password}</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        ${userId === '' ? '' : 'autofocus'}
      />
      <button>${texts.login}</button>
    </form>
    ${
      forgottenPath === undefined
        ? NOTHING
        : html`<p class="more"><a href="${forgottenPath}">${texts.forgotten}</a></p>`
    }`;
}
