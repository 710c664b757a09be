import type { Account } from '../../../common/ports/user-directory.js';
import { Html, html, NOTHING } from '../forms/html.js';
import type { LoginTexts } from '../forms/login.texts.js';
import type { Page } from '../forms/page.js';

interface GrantForm {
  /** Path that the form is sent to. */
  readonly action: string;
  readonly token: string;
  readonly requestToken: string;
  readonly clientName: string;
  readonly account: Account;
  /** Asks who is there, in a session that is too old; undefined in others. */
  readonly proof?: {
    /** Reason of a failed attempt. */
    readonly problem?: string | undefined;
    /** The identity provider, as an alternative. */
    readonly provider?: { readonly name: string; readonly address: string } | undefined;
  };
}

/** Asks the user whether a program may act in their name. */
export function grantPage(texts: LoginTexts, form: GrantForm): Page {
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
  { problem, provider }: NonNullable<GrantForm['proof']>,
): Html {
  return html`${problem === undefined ? NOTHING : html`<p role="alert">${problem}</p>`}
    <label for="password">${texts.password}</label>
    <input id="password" name="password" type="password" autocomplete="current-password" />
    ${
      provider === undefined
        ? NOTHING
        : html`<a class="button" href="${provider.address}">${texts.loginWith(provider.name)}</a>`
    }`;
}

export function sentencePage(texts: LoginTexts, sentence: string): Page {
  const content = html`<p role="status">${sentence}</p>`;
  return { language: texts.language, title: texts.connect, content };
}
