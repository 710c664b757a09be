import type { Account } from '../../common/ports/user-directory.js';
import { html } from '../login/html.js';
import type { LoginTexts } from '../login/login.texts.js';
import type { Page } from '../login/page.js';

interface GrantForm {
  /** Path that the form is sent to. */
  readonly action: string;
  readonly token: string;
  readonly requestToken: string;
  readonly clientName: string;
  readonly account: Account;
}

/** Asks the user whether a program may act in their name. */
export function grantPage(texts: LoginTexts, form: GrantForm): Page {
  const { action, token, requestToken, clientName, account } = form;
  const content = html`<p>${texts.wantsAccess}</p>
    <p><strong>${clientName}</strong></p>
    <p>${texts.asUser(account.displayName, account.userId)}</p>
    <p>${texts.onlyIfBegun}</p>
    <form method="post" action="${action}">
      <input type="hidden" name="token" value="${token}" />
      <input type="hidden" name="requesttoken" value="${requestToken}" />
      <button name="decision" value="grant">${texts.grant}</button>
      <button name="decision" value="deny" class="second">${texts.deny}</button>
    </form>`;
  return { language: texts.language, title: texts.connect, content };
}

export function sentencePage(texts: LoginTexts, sentence: string): Page {
  const content = html`<p role="status">${sentence}</p>`;
  return { language: texts.language, title: texts.connect, content };
}
