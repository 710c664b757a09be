import { decodeReferences } from '../feed-parser/html/character-references.js';
import { cutAt, textOfHtml } from '../feed-parser/html/plain-text.js';
import { wordsOf } from '../query/tokens.js';
import { canonicalLink, type CanonicalLink } from './canonical-link.js';

/** Of a body, further characters are not looked at, and if it is long, of its text. */
const MOST_HTML = 6_000;
const MOST_TEXT = 2_400;
/** Of a post that links to one article; others may lead to its comments and its author. */
const MOST_LINKS = 4;
/** Words that a post has beside its link, if it only links. */
const MOST_WORDS_BESIDE = 15;
const LONGEST_BESIDE = 1_000;

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
  const body = cutAt(html, MOST_HTML);
  const { beside, target } = linksOf(body, own);
  const isLinking =
    target !== null && wordsOf(beside.slice(0, LONGEST_BESIDE)) <= MOST_WORDS_BESIDE;
  const text = isLinking ? '' : textOfHtml(withoutLastLinks(body));
  return { text: withoutRest(cutAt(text, MOST_TEXT)).replace(DATELINE, ''), target };
}

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

interface Links {
  /** What is written beside them. */
  readonly beside: string;
  readonly target: CanonicalLink | null;
}

function linksOf(html: string, own: CanonicalLink | null): Links {
  const [first = '', ...links] = html.split(/<a(?=\s)/, MOST_LINKS + 2);
  if (links.length > MOST_LINKS) {
    return { beside: '', target: null };
  }
  const beside = textOfHtml(
    [first, ...links.map((link) => link.replace(/^.*?(?:<\/a>|$)/s, ''))].join(' '),
  );
  const site = own === null ? '' : siteOf(own);
  const pages = [...links.map(hrefOf), ...(beside.match(ADDRESS) ?? []).slice(0, MOST_LINKS)]
    .map((address) => canonicalLink(address))
    .filter((link) => link !== null && link.page !== null && siteOf(link) !== site);
  const isOne = pages.every((link) => link?.page === pages[0]?.page);
  return { beside: beside.replace(ADDRESS, ''), target: isOne ? (pages[0] ?? null) : null };
}

function hrefOf(link: string): string {
  const href = /^[^>]*?\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(link.slice(0, 4_000));
  return decodeReferences(href?.[1] ?? href?.[2] ?? '');
}

/** The last two labels of a host, which a publisher's hosts share. */
const siteOf = (link: CanonicalLink): string => link.host.split('.').slice(-2).join('.');
