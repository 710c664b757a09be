import type { Response } from 'express';
import { createHash } from 'node:crypto';
import { directionOf } from '../../common/texts/languages.js';
import { Html, html, NOTHING } from './html.js';

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
label { display: block; margin-top: 1rem; font-weight: 600; }
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
[role=alert] { color: var(--wrong); font-weight: 600; }
`;

// The exact element, since its hash covers every character between the tags.
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);
const STYLE_HASH = hashForPolicy(STYLE);

/** No images or frames: only the page's own style and script, and forms to this origin. */
function policyFor({ script, fetches = false }: Page): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
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
  readonly language: string;
  readonly title: string;
  readonly content: Html;
  /** Constant; works without, too. */
  readonly script?: string | undefined;
  /** Whether the script calls this service. Default false. */
  readonly fetches?: boolean;
}

/** Sends a page that needs no scripts. */
export function sendPage(response: Response, status: number, page: Page): void {
  response.status(status);
  response.set({
    'Content-Security-Policy': policyFor(page),
    'Cache-Control': 'no-store',
  });
  response.type('html').send(render(page).markup);
}

function render({ language, title, content, script }: Page): Html {
  return html`<!doctype html>
    <html lang="${language}" dir="${directionOf(language)}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} – Gatefold</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <main>
          <p class="product">Gatefold</p>
          <h1>${title}</h1>
          ${content}
        </main>
        ${script === undefined ? NOTHING : new Html(`<script>${script}</script>`)}
      </body>
    </html>`;
}
