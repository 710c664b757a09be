import { html, NOTHING } from '../../../common/http/html.js';
import type { LoginTexts } from '../forms/login.texts.js';
import { type Page } from '../forms/page.js';

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

interface NewPasswordForm {
  /** Path that the form is sent to. */
  readonly action: string;
  /** Token of a failed attempt; otherwise the fragment of the link fills it. */
  readonly token: string;
  readonly problem?: string;
}

/** Moves the token from the address into the form, and out of the history. */
const SCRIPT = `
const field = document.getElementById('token');
if (location.hash.length > 1) {
  field.value = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
}
document.getElementById('code').hidden = field.value !== '';
`;

/** Without scripts, users copy the token from the link. */
export function newPasswordPage(
  texts: LoginTexts,
  { action, token, problem }: NewPasswordForm,
): Page {
  const content = html`${problem === undefined ? NOTHING : html`<p role="alert">${problem}</p>`}
    <form method="post" action="${action}">
      <div id="code">
        <label for="token">${texts.linkCode}</label>
        <input
          id="token"
          name="token"
          value="${token}"
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          required
        />
      </div>
      <label for="password">${texts.newPassword}</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="new-password"
        required
        autofocus
      />
      <label for="repeated">${texts.repeatPassword}</label>
      <input id="repeated" name="repeated" type="password" autocomplete="new-password" required />
      <button>${texts.setPassword}</button>
    </form>`;
  return { language: texts.language, title: texts.choosePassword, content, script: SCRIPT };
}

export function passwordSetPage(texts: LoginTexts, loginPath: string): Page {
  const content = html`<p role="status">${texts.passwordSet}</p>
    <a class="button" href="${loginPath}">${texts.login}</a>`;
  return { language: texts.language, title: texts.choosePassword, content };
}
