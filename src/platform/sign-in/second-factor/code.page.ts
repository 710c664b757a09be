import { html, NOTHING } from '../forms/html.js';
import { PASSKEY_SCRIPT, passkeyForm, type PasskeyForm } from '../forms/passkey-form.js';
import type { LoginTexts } from '../forms/login.texts.js';
import type { Page } from '../forms/page.js';

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

/** Asks for a second factor after the password. */
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
