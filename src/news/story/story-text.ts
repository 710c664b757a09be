import { decodeReferences } from '../feed-parser/html/character-references.js';
import { cutAt, textOfHtml } from '../feed-parser/html/plain-text.js';
import { wordsOf } from '../query/tokens.js';
import { canonicalLink, type CanonicalLink } from './canonical-link.js';

/** Of a body, further characters are not looked at, unless it begins with more markup than text. */
const USUAL_HTML = 2_200;
const MOST_HTML = 12_000;
const LEAST_TEXT = 600;
const MOST_TEXT = 1_800;
/** Of a post that links to one article; others may lead to its comments and its author. */
const MOST_LINKS = 4;
/** Of a post that only links. */
const LONGEST_LINKING = 1_000;
/** Words that it has beside its link. */
const MOST_WORDS_BESIDE = 15;

/** Where and by which agency a report was written: `LONDON, Nov 25 (Reuters) - `. */
const DATELINE = /^[^.!?()]{0,60}\([^.!?()]{2,30}\) ?[-–—:] ?/;
const ADDRESS = /https?:\/\/[^\s<>"')\]]{4,1000}/g;

export interface StoryText {
  /** Empty of a post that only links. */
  readonly text: string;
  /** The one page of another site that it links to. */
  readonly target: CanonicalLink | null;
}

export function storyText(html: string, own: CanonicalLink | null): StoryText {
  const body = cutAt(html, USUAL_HTML);
  const text = textOfHtml(withoutLastLinks(body));
  if (html.length > USUAL_HTML && text.length < LEAST_TEXT) {
    return { text: ownText(textOfHtml(cutAt(html, MOST_HTML))), target: null };
  }
  const [first = '', ...links] = body.split(/<a(?=\s)/, MOST_LINKS + 2);
  if (links.length > MOST_LINKS) {
    return { text: ownText(text), target: null };
  }
  const bare = text.length > LONGEST_LINKING ? [] : (text.match(ADDRESS) ?? []);
  const target = targetOf([...links.map(hrefOf), ...bare.slice(0, MOST_LINKS)], own);
  const isLinking =
    target !== null && text.length <= LONGEST_LINKING && isLittle([first, ...links.map(behind)]);
  return { text: isLinking ? '' : ownText(text), target };
}

const ownText = (text: string): string => withoutRest(cutAt(text, MOST_TEXT)).replace(DATELINE, '');

/** Links at the end, such as "Read more" in any language, are no text. */
function withoutLastLinks(html: string): string {
  let end = html.length;
  for (let n = 0; n < 5; n += 1) {
    const close = html.lastIndexOf('</a>', end);
    const open = html.lastIndexOf('<a ', close);
    const isLast = open !== -1 && close !== -1 && textOfHtml(html.slice(close, end)).length <= 4;
    if (!isLast || textOfHtml(html.slice(open, close)).split(' ').length > 5) {
      break;
    }
    end = open;
  }
  return html.slice(0, end);
}

/** What follows an ellipsis near the end is no text of the article, and the word before it may be cut. */
function withoutRest(text: string): string {
  const at = Math.max(text.lastIndexOf('…'), text.lastIndexOf('...'));
  const isNearEnd = at > 40 && text.length - at < 80;
  const cut = isNearEnd ? text.slice(0, Math.max(text.lastIndexOf(' ', at), at - 30)) : text;
  // WordPress adds the sentence in English to texts of all languages.
  const post = cut.lastIndexOf('The post ');
  return post > 0 && cut.includes(' first on', post) ? cut.slice(0, post) : cut;
}

function hrefOf(link: string): string {
  const href = /^[^>]*?\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(link);
  return decodeReferences(href?.[1] ?? href?.[2] ?? '');
}

const behind = (link: string): string => link.replace(/^.*?(?:<\/a>|$)/s, '');

const isLittle = (pieces: readonly string[]): boolean =>
  wordsOf(textOfHtml(pieces.join(' ')).replace(ADDRESS, '')) <= MOST_WORDS_BESIDE;

function targetOf(addresses: readonly string[], own: CanonicalLink | null): CanonicalLink | null {
  const site = own === null ? '' : siteOf(own);
  const pages = addresses
    .map((address) => canonicalLink(address))
    .filter((link) => link !== null && link.page !== null && siteOf(link) !== site);
  return pages.every((link) => link?.page === pages[0]?.page) ? (pages[0] ?? null) : null;
}

/** The last two labels of a host, which a publisher's hosts share. */
const siteOf = (link: CanonicalLink): string => link.host.split('.').slice(-2).join('.');
