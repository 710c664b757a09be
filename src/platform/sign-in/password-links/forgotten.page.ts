import { html, NOTHING } from '../forms/html.js';
import type { LoginTexts } from '../forms/login.texts.js';
import type { Page } from '../forms/page.js';

interface ForgottenForm {
  /** Path that the form is sent to. */
  readonly action: string;
  readonly user: string;
  readonly problem?: string;
}

export function forgottenPage(texts: LoginTexts, { action, user, problem }: ForgottenForm): Page {
  const content = html`${problem === undefined ? NOTHING : html`<p role="alert">${problem}</p>`}
    <form method="post" action="${action}">
      <label for="user">${texts.userOrMail}</label>
      <input
        id="user"
        name="user"
        value="${user}"
        autocomplete="username"
        autocapitalize="none"
        spellcheck="false"
        maxlength="254"
        required
        autofocus
      />
      <button>${texts.sendLink}</button>
    </form>`;
  return { language: texts.language, title: texts.forgotten, content };
}

export function linkSentPage(texts: LoginTexts, loginPath: string): Page {
  const content = html`<p role="status">${texts.linkSent}</p>
    <a class="button" href="${loginPath}">${texts.login}</a>`;
  return { language: texts.language, title: texts.forgotten, content };
}
