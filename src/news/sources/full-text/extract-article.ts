import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { decodeDocument } from '../../feed-parser/charset/decode-document.js';
import { cleanHtml } from '../../feed-parser/html/clean-html.js';
import { withGistLinks } from '../../feed-parser/html/frames.js';
import { limitNesting } from '../../feed-parser/html/limit-nesting.js';
import { textOfHtml } from '../../feed-parser/html/plain-text.js';
import { type FeedDocument, UnreadableDocument } from '../../feed-parser/parsed-feed.js';

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

/**
 * Extracts the article of a web page, without menus, notices and advertisements.
 *
 * @throws UnreadableDocument when the page has no article
 */
export function extractArticle(page: FeedDocument): ExtractedArticle {
  const text = decodeDocument({ ...page, contentType: contentTypeOf(page) });
  const shown = withoutPrograms(withGistLinks(text));
  if (shown.length - shown.replace(NODE_MARKS, '').length > MOST_NODE_MARKS) {
    throw new UnreadableDocument('The page is too intricate to be read.');
  }
  const plain = limitNesting(shown, DEEPEST, MOST_ELEMENTS);
  const { document } = parseHTML(wholeDocument(plain));
  // MathJax classes such as `CtxtMenu_Attached_0` look like menus.
  for (const formula of document.querySelectorAll('mjx-container, .MathJax')) {
    formula.removeAttribute('class');
    formula.replaceWith(formula.querySelector('math') ?? formula);
  }
  const base = URL.parse(document.querySelector('base')?.getAttribute('href') ?? '', page.url);
  const content = contentOf(document);
  const html = cleanHtml(content, base?.href ?? page.url, page.ownOrigin ?? null);
  // The sanitiser has closed every link.
  const outsideOfLinks = textOfHtml(html.replace(/<a(?:\s[^>]*)?>.*?<\/a>/gs, ''));
  if (outsideOfLinks.length < FEWEST_CHARACTERS) {
    throw new UnreadableDocument('The page holds nothing that looks like an article.');
  }
  return { html, characters: textOfHtml(html).length };
}

function contentOf(document: ReturnType<typeof parseHTML>['document']): string {
  try {
    const reader = new Readability(document, {
      disableJSONLD: true,
      maxElemsToParse: 2 * MOST_ELEMENTS,
    });
    return reader.parse()?.content ?? '';
  } catch (error) {
    throw new UnreadableDocument('The page cannot be read.', { cause: error });
  }
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
