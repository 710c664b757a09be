import { words } from '../words.js';
import { decodeReferences, withoutControls } from './character-references.js';

/** The elements of HTML, so that `List<T>` and `<3` in a title are not taken for markup. */
const ELEMENTS = new Set(
  words(`
  a abbr acronym address applet area article aside audio b base basefont bdi bdo big blink blockquote
  body br button canvas caption center cite code col colgroup data datalist dd del details dfn dialog
  dir div dl dt em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6
  head header hgroup hr html i iframe img input ins kbd label legend li link main map mark marquee math
  menu meta meter nav nobr noembed noframes noscript object ol optgroup option output p param picture
  pre progress q rb rp rt rtc ruby s samp script section select small source span strike strong style
  sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var
  video wbr xmp`),
);

/** Void elements, which mean markup even without attributes. */
const LONE_ELEMENTS = new Set(['br', 'hr', 'img', 'wbr']);

/** Elements with invisible content. */
const UNSEEN = new Set(['script', 'style', 'template']);

/** Elements that separate words. */
const PARTING = new Set(
  words(`
  address article aside blockquote br dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre section table td th
  tr ul`),
);

/** References without a semicolon, unambiguous before a space. */
const UNENDED_REFERENCE = /&(amp|lt|gt|quot|nbsp)(?=\s|$)/g;

/** Stands for a break between words; no document contains it. */
const PARTED = '\u0002';
// oxlint-disable no-control-regex
const BLANKS = /[\s\u0002]+/g;
const BREAK = /[\n\u0002]/;
/** Behind an opening quote, or before a closing one. */
const BREAK_IN_QUOTES =
  /(?<=(?:^|[ (\u0002])["'“„‘])\u0002|\u0002(?=["'“”’](?:[ \u0002.,;:!?)]|$))/g;
// oxlint-enable no-control-regex

interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  /** Position after its `>`. */
  readonly end: number;
}

/**
 * The readable text of HTML on one line: without tags, references decoded once.
 *
 * @param keep `unknown-tags` keeps tags that HTML does not know, for texts that may not be HTML
 */
export function textOfHtml(html: string, keep: 'nothing' | 'unknown-tags' = 'nothing'): string {
  const pieces: string[] = [];
  let lowerCase: string | null = null;
  let from = 0;
  let at = html.indexOf('<');
  while (at !== -1) {
    const tag = tagAt(html, at);
    if (typeof tag === 'number') {
      at = html.indexOf('<', tag);
      continue;
    }
    if (tag.name !== '' && keep === 'unknown-tags' && !ELEMENTS.has(tag.name)) {
      at = html.indexOf('<', at + 1);
      continue;
    }
    pieces.push(html.slice(from, at));
    if (PARTING.has(tag.name)) {
      pieces.push(PARTED);
    }
    from = tag.end;
    if (UNSEEN.has(tag.name) && !tag.isEnd) {
      lowerCase ??= html.toLowerCase();
      const close = lowerCase.indexOf(`</${tag.name}`, from);
      from = close === -1 ? html.length : close;
    }
    at = html.indexOf('<', from);
  }
  pieces.push(html.slice(from));
  const text = pieces.join('').replace(UNENDED_REFERENCE, '&$1;');
  const parted = decodeReferences(text).replace(BLANKS, (blanks) =>
    BREAK.test(blanks) ? PARTED : ' ',
  );
  return onOneLine(parted.replace(BREAK_IN_QUOTES, '').replaceAll(PARTED, ' '));
}

/**
 * Whether a text without a declared type is HTML: it contains references, end tags, or elements with
 * attributes.
 */
export function looksLikeHtml(text: string): boolean {
  if (!/[<&]/.test(text)) {
    return false;
  }
  let at = text.indexOf('<');
  while (at !== -1) {
    const tag = tagAt(text, at);
    if (typeof tag !== 'number') {
      if (tag.isEnd ? ELEMENTS.has(tag.name) : LONE_ELEMENTS.has(tag.name)) {
        return true;
      }
      const isElaborate = /\s[a-z-]+=/i.test(text.slice(at, tag.end));
      if (isElaborate && ELEMENTS.has(tag.name)) {
        return true;
      }
    }
    at = text.indexOf('<', typeof tag === 'number' ? tag : tag.end);
  }
  return text.search(UNENDED_REFERENCE) !== -1 || decodeReferences(text) !== text;
}

/** Whether a text contains a start tag of HTML, as in `<p>One<p>Two`. */
export function beginsElement(text: string): boolean {
  let at = text.indexOf('<');
  while (at !== -1) {
    const tag = tagAt(text, at);
    if (typeof tag !== 'number' && (tag.name === '' || ELEMENTS.has(tag.name))) {
      // Obsolete: more likely mentioned than used.
      if (tag.name !== 'blink' && tag.name !== 'marquee') {
        return true;
      }
    }
    at = text.indexOf('<', typeof tag === 'number' ? tag : tag.end);
  }
  return false;
}

/** Text on one line, fit to be stored. */
export function onOneLine(text: string): string {
  return withoutControls(text).replace(/\s+/g, ' ').trim();
}

/**
 * A line in which an HTML parser finds no tag, comment or instruction, for clients that do not escape
 * it. The brackets of text such as `List<T>` become `‹` and `›`; a `<` that cannot begin a tag stays,
 * as in `a < b`, `1<2` and `<3`.
 */
export function withoutTags(line: string): string {
  return line.replace(/<([a-z!/?][^<>]*)>/gi, '‹$1›').replace(/<(?=[a-z!/?])/gi, '‹');
}

/** Cuts a text without splitting a surrogate pair. */
export function cutAt(text: string, characters: number): string {
  return text.length <= characters
    ? text
    : text
        .slice(0, characters)
        .toWellFormed()
        .replace(/\uFFFD$/, '');
}

/** Longer tags are text with a `<`. */
const LONGEST_TAG = 10_000;

/** @returns the tag, or the position to continue at if there is none */
function tagAt(html: string, at: number): Tag | number {
  if (html.startsWith('<!--', at)) {
    const end = html.indexOf('-->', at + 4);
    return end === -1 ? html.length : { name: '', isEnd: false, end: end + 3 };
  }
  const isEnd = html.charAt(at + 1) === '/';
  const head = /^[a-z!?][a-z0-9:-]{0,40}/i.exec(html.slice(at + (isEnd ? 2 : 1), at + 50));
  if (!head) {
    return at + 1;
  }
  const limit = Math.min(html.length, at + LONGEST_TAG);
  let quote = '';
  let i = at + (isEnd ? 2 : 1) + head[0].length;
  for (; i < limit; i++) {
    const character = html.charAt(i);
    if (quote !== '') {
      if (character === quote) {
        quote = '';
      }
    } else if ((character === '"' || character === "'") && html.charAt(i - 1) === '=') {
      quote = character;
    } else if (character === '>') {
      const name = /^[!?]/.test(head[0]) ? '' : head[0].toLowerCase();
      return { name, isEnd, end: i + 1 };
    } else if (character === '<') {
      return i;
    }
  }
  return i;
}
