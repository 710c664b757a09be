import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { decodeDocument } from '../../feed-parser/charset/decode-document.js';
import { cleanHtml } from '../../feed-parser/html/clean-html.js';
import { withGistLinks } from '../../feed-parser/html/frames.js';
import { limitNesting } from '../../feed-parser/html/limit-nesting.js';
import { textOfHtml } from '../../feed-parser/html/plain-text.js';
import { type FeedDocument, UnreadableDocument } from '../../feed-parser/parsed-feed.js';
import { aboutPage, type PageAbout } from './page-about.js';

export interface ExtractedArticle {
  /** Sanitised HTML with absolute addresses. */
  readonly html: string;
  /** Length of the visible text. */
  readonly characters: number;
}

/** Less text outside links is a notice, a menu or a teaser. */
const FEWEST_CHARACTERS = 200;

const DEEPEST = 150;
const MOST_ELEMENTS = 20_000;

/** Marks that become DOM nodes, which take memory. */
const NODE_MARKS = /[<&]/g;
const MOST_NODE_MARKS = 150_000;

const CHARSET_IS_WITHIN_BYTES = 4096;

/** A web page: its article, or why it has none, and what it says about itself. */
export interface ReadPage {
  readonly about: PageAbout;
  readonly article: ExtractedArticle | null;
  /** A sentence; null if there is an article. */
  readonly problem: string | null;
}

/** Enough for what a page says about itself, and too little to be dangerous. */
const HEAD_CHARACTERS = 64 * 1024;

/** Reads a web page; its article without menus, notices and advertisements. */
export function readPage(page: FeedDocument): ReadPage {
  const text = decodeDocument({ ...page, contentType: contentTypeOf(page) });
  const shown = withoutPrograms(withGistLinks(text));
  const about = aboutPage(parsed(shown.slice(0, HEAD_CHARACTERS)), ldTextsIn(text), page.url);
  try {
    const { author, ...article } = articleOf(shown, page);
    return { about: { ...about, author: about.author ?? author }, article, problem: null };
  } catch (error) {
    const isKnown = error instanceof UnreadableDocument;
    return { about, article: null, problem: isKnown ? error.message : 'The page cannot be read.' };
  }
}

function articleOf(shown: string, { url, ownOrigin = null }: FeedDocument) {
  if (shown.length - shown.replace(NODE_MARKS, '').length > MOST_NODE_MARKS) {
    throw new UnreadableDocument('The page is too intricate to be read.');
  }
  const { document } = parsed(shown);
  // MathJax classes such as `CtxtMenu_Attached_0` look like menus.
  for (const formula of document.querySelectorAll('mjx-container, .MathJax')) {
    formula.removeAttribute('class');
    formula.replaceWith(formula.querySelector('math') ?? formula);
  }
  const base = URL.parse(document.querySelector('base')?.getAttribute('href') ?? '', url);
  const options = { disableJSONLD: true, maxElemsToParse: 2 * MOST_ELEMENTS };
  const read = new Readability(document, options).parse();
  const html = cleanHtml(read?.content ?? '', base?.href ?? url, ownOrigin);
  // The sanitiser has closed every link.
  const outsideOfLinks = textOfHtml(html.replace(/<a(?:\s[^>]*)?>.*?<\/a>/gs, ''));
  if (outsideOfLinks.length < FEWEST_CHARACTERS) {
    throw new UnreadableDocument('The page holds nothing that looks like an article.');
  }
  const author = read?.byline?.replace(/^\s*by\s+/i, '').trim() || null;
  return { html, characters: textOfHtml(html).length, author };
}

const parsed = (html: string) =>
  parseHTML(wholeDocument(limitNesting(html, DEEPEST, MOST_ELEMENTS)));

const MOST_LD_TEXTS = 10;

/** Contents of scripts with structured data. */
function ldTextsIn(html: string): string[] {
  const texts: string[] = [];
  for (const { index, 0: tag } of html.matchAll(
    /<script\b[^>]{0,300}\bapplication\/ld\+json[^>]{0,300}>/gi,
  )) {
    const end = html.indexOf('</script', index);
    texts.push(end === -1 ? '' : html.slice(index + tag.length, end));
    if (texts.length === MOST_LD_TEXTS) {
      break;
    }
  }
  return texts;
}

/** Adds the charset of `<meta>` if the header has none. */
function contentTypeOf({ bytes, contentType }: FeedDocument): string | null {
  if (/;\s*charset\s*=/i.test(contentType ?? '')) {
    return contentType;
  }
  const start = Buffer.from(bytes.subarray(0, CHARSET_IS_WITHIN_BYTES)).toString('latin1');
  const charset = /<meta\s[^>]{0,200}?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(start)?.[1];
  return charset === undefined ? contentType : `text/html; charset=${charset}`;
}

/** Removes scripts, styles and templates, whose content may look like tags. */
function withoutPrograms(html: string): string {
  const kept: string[] = [];
  let from = 0;
  for (const { index, 0: tag, 1: name = '' } of html.matchAll(/<(script|style|template)\b/gi)) {
    if (index < from) {
      continue;
    }
    kept.push(html.slice(from, index));
    const end = new RegExp(`</${name}[^>]{0,100}>`, 'gi');
    end.lastIndex = index + tag.length;
    from = end.exec(html) === null ? html.length : end.lastIndex;
  }
  kept.push(html.slice(from));
  return kept.join('');
}

/** Adds omitted `html` and `body` elements, which linkedom does not. */
function wholeDocument(html: string): string {
  if (/<html[\s>]/i.test(html) && /<body[\s>]/i.test(html)) {
    return html;
  }
  const inner = html.replace(/<!doctype[^>]{0,1000}>|<\/?(?:html|body)\b[^>]{0,1000}>/gi, '');
  const headEnd = /<\/head\s*>/i.exec(inner);
  const bodyStart = headEnd === null ? 0 : headEnd.index + headEnd[0].length;
  return `<html>${inner.slice(0, bodyStart)}<body>${inner.slice(bodyStart)}</body></html>`;
}
