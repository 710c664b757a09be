import { PASSKEY_SCRIPT, passkeyForm, type PasskeyForm } from './passkey-form.js';
import { html, NOTHING, type Page } from './page.js';
import type { LoginTexts } from './login.texts.js';

/** Contents of the form, initially or after a failed attempt. */
interface LoginForm {
  /** Path that the form is sent to. */
  readonly action: string;
  readonly userId: string;
  readonly redirectUrl: string;
  /** Reason of the failed attempt. */
  readonly problem?: string;
  /** Of the page for users who have forgotten their password. */
  readonly forgottenPath?: string;
  /** The identity provider, as an alternative. */
  readonly provider?: { readonly name: string; readonly address: string };
  /** Undefined where there are no passkeys. */
  readonly passkey?: PasskeyForm | undefined;
}

export function loginPage(texts: LoginTexts, form: LoginForm): Page {
  const { action, userId, redirectUrl, problem, forgottenPath, provider, passkey } = form;
  const content = html`${problem === undefined ? NOTHING : html`<p role="alert">${problem}</p>`}
    <form method="post" action="${action}">
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
    }
    ${passkey === undefined ? NOTHING : passkeyForm(texts, texts.loginWithPasskey, passkey)}
    ${
      provider === undefined
        ? NOTHING
        : html`<a class="button" href="${provider.address}">${texts.loginWith(provider.name)}</a>`
    }`;
  return {
    language: texts.language,
    title: texts.login,
    content,
    ...(passkey === undefined ? {} : PASSKEY_SCRIPT),
  };
}
