import type { Response } from 'express';
import { createHash } from 'node:crypto';
import { Html, html, NOTHING } from '../../../common/http/html.js';
import { directionOf, type Language } from '../../../common/texts/languages.js';
import { textIn } from '../../../common/texts/translations.js';

const STYLE = `
:root { color-scheme: light dark; --page: #f4f5f8; --card: #fff; --text: #1a2030; --quiet: #565f73;
  --line: #7a828b; --main: #3556d8; --on-main: #fff; --wrong: #a3160b; }
@media (prefers-color-scheme: dark) { :root { --page: #12151d; --card: #1a1e29; --text: #e6e9f2;
  --quiet: #a4adc0; --line: #7d868f; --main: #8ea6ff; --on-main: #10162b; --wrong: #ff9d94; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem;
  background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 24rem; padding: 2rem; border-radius: .75rem; background: var(--card);
  overflow-wrap: anywhere; }
.product { margin: 0; color: var(--quiet); }
h1 { margin: 0 0 1.25rem; font-size: 1.5rem; line-height: 1.25; }
label { display: block; margin: 1rem 0 .5rem; font-weight: 600; }
input, button { width: 100%; padding: .625rem .75rem; border-radius: .375rem; font: inherit; }
input { border: 1px solid var(--line); background: transparent; color: inherit; }
button { margin-top: 1.5rem; border: 1px solid var(--main); background: var(--main);
  color: var(--on-main); font-weight: 600; cursor: pointer; }
a.button { display: block; margin-top: .75rem; padding: .625rem .75rem; border-radius: .375rem;
  border: 1px solid var(--main); color: var(--main); font-weight: 600; text-align: center;
  text-decoration: none; }
.more { margin: 1rem 0 0; text-align: center; }
.more a { color: var(--main); }
button.second { margin-top: .75rem; background: transparent; color: var(--main); }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
code { overflow-wrap: anywhere; }
a { color: var(--main); }
svg { display: block; width: 13rem; max-width: 100%; margin: 0 auto; border-radius: .375rem; }
ul { margin: 0 0 1.5rem; padding: 0; list-style: none; }
.password { position: relative; }
.password input { padding-inline-end: 3rem; }
.password button { position: absolute; inset-block: 0; inset-inline-end: 0; width: auto; margin: 0;
  border-color: transparent; background: none; color: var(--quiet); }
.password svg { width: 1.25rem; border-radius: 0; fill: none; stroke: currentColor; stroke-width: 2; }
.password button:not([aria-pressed=true]) .slash { display: none; }
[role=alert] { color: var(--wrong); font-weight: 600; }
`;

/** Puts the button of the template into each field for a password. */
const SHOW_PASSWORD = `
for (const field of document.querySelectorAll('input[type=password]')) {
  const box = document.createElement('div');
  box.className = 'password';
  field.replaceWith(box);
  box.append(field, document.querySelector('template').content.cloneNode(true));
  const show = (isShown) => {
    field.type = isShown ? 'text' : 'password';
    box.lastElementChild.ariaPressed = isShown;
  };
  box.lastElementChild.onclick = () => show(field.type === 'password');
  // Browsers remember what was typed into a text field.
  field.form.addEventListener('submit', () => show(false));
}
`;

// The exact element, since its hash covers every character between the tags.
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);
const STYLE_HASH = hashForPolicy(STYLE);

/** Allows no frames: only the icon, the page's own style and script, and forms to this origin. */
function policyFor({ script, fetches = false }: Page): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    "img-src 'self'",
    ...(script === undefined ? [] : [`script-src 'sha256-${hashForPolicy(script)}'`]),
    ...(fetches ? ["connect-src 'self'"] : []),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function hashForPolicy(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

export interface Page {
  readonly language: Language;
  readonly title: string;
  readonly content: Html;
  /** Constant; works without, too. */
  readonly script?: string | undefined;
  /** Whether the script calls this service. Default false. */
  readonly fetches?: boolean;
}

/** Sends a page that needs no scripts. Above its title is the host of the request. */
export function sendPage(response: Response, status: number, given: Page): void {
  const page = given.content.markup.includes('type="password"') ? withButtons(given) : given;
  response.status(status);
  response.set({
    'Content-Security-Policy': policyFor(page),
    'Cache-Control': 'no-store',
  });
  const { host, path } = response.req;
  response.type('html').send(render(page, host, path).markup);
}

function render({ language, title, content, script }: Page, host: string, path: string): Html {
  // Relative, since a proxy may have taken the prefix of the installation off the path.
  const toRoot = '../'.repeat(path.split('/').length - 2);
  return html`<!doctype html>
    <html lang="${language}" dir="${directionOf(language)}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} – Gatefold</title>
        <link rel="icon" href="${toRoot}icon.svg" type="image/svg+xml" />
        ${STYLE_ELEMENT}
      </head>
      <body>
        <main>
          <p class="product">Gatefold · ${host}</p>
          <h1>${title}</h1>
          ${content}
        </main>
        ${script === undefined ? NOTHING : new Html(`<script>${script}</script>`)}
      </body>
    </html>`;
}

function withButtons(page: Page): Page {
  const label = textIn(page.language, 'login', 'showPassword');
  const button = html`<button
    type="button"
    title="${label}"
    aria-label="${label}"
    aria-pressed="false"
  >
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d="M2 12c5-9 15-9 20 0-5 9-15 9-20 0zM9 12a3 3 0 1 0 6 0 3 3 0 1 0-6 0z" />
      <path class="slash" d="M4 4l16 16" />
    </svg>
  </button>`;
  const content = html`${page.content}<template>${button}</template>`;
  return { ...page, content, script: SHOW_PASSWORD + (page.script ?? '') };
}
