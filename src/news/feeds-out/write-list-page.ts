import { createHash } from 'node:crypto';
import { html, Html, NOTHING } from '../../common/http/html.js';
import { directionOf, type Language } from '../../common/texts/languages.js';
import { textIn } from '../../common/texts/translations.js';
import { isoDate, type PublishedEntry, type PublishedList } from './published-entry.js';
import type { ListAddresses } from './write-atom.js';

const STYLE = `
:root { color-scheme: light dark; --page: #f4f5f8; --card: #fff; --text: #1a2030; --quiet: #565f73;
  --main: #3556d8; }
@media (prefers-color-scheme: dark) { :root { --page: #12151d; --card: #1a1e29; --text: #e6e9f2;
  --quiet: #a4adc0; --main: #8ea6ff; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1rem; background: var(--page); color: var(--text);
  font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 44rem; margin: 0 auto; }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.25; }
h2 { margin: 0; font-size: 1.25rem; line-height: 1.3; }
article { margin: 1rem 0; padding: 1rem; border-radius: .75rem; background: var(--card); }
a { color: var(--main); }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
.about { margin: .25rem 0 0; color: var(--quiet); }
.about a { display: inline-block; min-height: 1.5rem; margin-inline-end: .75rem; }
img, video { max-width: 100%; height: auto; }
pre, table { display: block; max-width: 100%; overflow-x: auto; }
blockquote { margin-inline: 0; padding-inline-start: 1rem; border-inline-start: 3px solid var(--quiet); }
`;

const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** @param pictures whether browsers load pictures from their publishers; otherwise the page has none */
export function listPolicy(pictures: 'direct' | 'proxy'): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    ...(pictures === 'direct' ? ['img-src http: https:'] : []),
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Writes a list as a page without scripts, in pieces. */
export function* writeListPage(
  list: PublishedList,
  addresses: ListAddresses,
  language: Language,
): Generator<string> {
  const text = (key: string) => textIn(language, 'lists', key);
  const feeds = list.isArticle
    ? NOTHING
    : html`<link
          rel="alternate"
          type="application/atom+xml"
          title="${list.name}"
          href="${addresses.atom}"
        />
        <link
          rel="alternate"
          type="application/feed+json"
          title="${list.name}"
          href="${addresses.json}"
        />`;
  const head = list.isArticle
    ? NOTHING
    : html`<header>
        <h1 dir="auto">${list.name}</h1>
        <p class="about">
          <a href="${addresses.atom}">${text('atom')}</a>
          <a href="${addresses.json}">${text('json')}</a>
        </p>
      </header>`;
  yield html`<!doctype html>
    <html lang="${language}" dir="${directionOf(language)}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow, noarchive" />
        <meta name="referrer" content="no-referrer" />
        <title>${list.name}</title>
        ${feeds} ${STYLE_ELEMENT}
      </head>
      <body>
        <main>${head} ${list.entries.length === 0 ? html`<p>${text('empty')}</p>` : NOTHING}
     `.markup;
  for (const entry of list.entries) {
    yield entryHtml(entry, list.isArticle ? 'h1' : 'h2', language).markup;
  }
  yield '</main></body></html>\n';
}

function entryHtml(entry: PublishedEntry, heading: 'h1' | 'h2', language: Language): Html {
  const { title, url, author, source, publishedSeconds, rtl, enclosures } = entry;
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  const by = [source.title, author === source.title ? null : author].filter(Boolean).join(' · ');
  return html`<article dir="${rtl ? 'rtl' : 'auto'}">
    ${new Html(`<${heading}>`)}${url === null ? title : link(url, title)}${new Html(`</${heading}>`)}
    <p class="about">
      <span dir="auto">${by}</span>
      <time datetime="${isoDate(publishedSeconds)}">${date.format(publishedSeconds * 1000)}</time>
    </p>
    ${new Html(entry.html)}
    ${new Html(enclosures.map((file) => fileHtml(file.url).markup).join(''))}
  </article>`;
}

const fileHtml = (url: string) =>
  html`<p>${link(url, URL.parse(url)?.pathname.split('/').at(-1) || url)}</p>`;

const link = (url: string, text: string) =>
  html`<a href="${url}" rel="noopener noreferrer nofollow">${text}</a>`;
