import { html, NOTHING, type Page, Html } from '../forms/page.js';
import { PASSKEY_SCRIPT, passkeyForm, type PasskeyForm } from '../forms/passkey-form.js';
import type { LoginTexts } from '../forms/login.texts.js';
import { encodeQR } from 'qr';

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

interface SetUpForm {
  /** Path that the form is sent to. */
  readonly action: string;
  /** Path of the login page. */
  readonly startOver: string;
  /** In base32. */
  readonly secret: string;
  /** `otpauth:` address of the secret. */
  readonly address: string;
  /** Reason of the failed attempt. */
  readonly problem: string | undefined;
}

interface ShownCodes {
  readonly codes: readonly string[];
  /** Path to go on with. */
  readonly next: string;
}

/** Has an authenticator app set up before the login is complete. */
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

/** As a drawing in the page: its policy allows no pictures. */
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
