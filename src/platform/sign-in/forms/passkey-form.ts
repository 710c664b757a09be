import { type Html, html, NOTHING } from '../../../common/http/html.js';
import type { LoginTexts } from './login.texts.js';
import { type Page } from './page.js';

/** A form of a login page that sends the answer of a passkey. */
export interface PasskeyForm {
  /** Path that the form is sent to. */
  readonly action: string;
  /** Path of the options for the browser. */
  readonly optionsPath: string;
  /** Untrusted; undefined where the login in progress knows it. */
  readonly redirectUrl?: string;
}

const SCRIPT = `
const form = document.getElementById('passkey');
const problem = document.getElementById('passkey-problem');
form.hidden = window.PublicKeyCredential?.parseRequestOptionsFromJSON === undefined;
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  problem.hidden = true;
  try {
    const answer = await fetch(form.dataset.options, { method: 'POST' });
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await answer.json());
    const credential = await navigator.credentials.get({ publicKey });
    form.elements.credential.value = JSON.stringify(credential.toJSON());
    form.submit();
  } catch (error) {
    // Cancelled by the user, or there is no passkey; the browser has said so.
    problem.hidden = error.name === 'NotAllowedError';
  }
});
`;

/** Requirements of pages with a passkey form. */
export const PASSKEY_SCRIPT = { script: SCRIPT, fetches: true } satisfies Partial<Page>;

/** Hidden in browsers without passkeys, and without scripts. */
export function passkeyForm(
  texts: LoginTexts,
  label: string,
  { action, optionsPath, redirectUrl }: PasskeyForm,
): Html {
  return html`<form
    id="passkey"
    method="post"
    action="${action}"
    data-options="${optionsPath}"
    hidden
  >
    ${
      redirectUrl === undefined
        ? NOTHING
        : html`<input type="hidden" name="redirect_url" value="${redirectUrl}" />`
    }
    <input type="hidden" name="credential" />
    <button class="second">${label}</button>
    <p id="passkey-problem" role="alert" hidden>${texts.passkeyRefused}</p>
  </form>`;
}
