import { decodeReferences } from '../feed-parser/html/character-references.js';
import { cutAt, textOfHtml } from '../feed-parser/html/plain-text.js';
import { canonicalLink, isHomePage, type CanonicalLink } from './canonical-link.js';

/** Of a body, further characters are not looked at, and if it is long, of its text. */
const MOST_HTML = 6_000;
const MOST_TEXT = 2_400;
const MOST_LINKS = 20;
/** Words that a post has beside its link. */
const MOST_WORDS_OF_LINKING = 40;

/** Where and by which agency a report was written: `LONDON, Nov 25 (Reuters) - `. */
const DATELINE = /^[^.!?()]{0,60}\([^.!?()]{2,30}\) ?[-–—:] ?/;

export interface StoryText {
  readonly text: string;
  /** What a post that only links leads to. */
  readonly target: CanonicalLink | null;
}

export function storyText(html: string, own: CanonicalLink | null): StoryText {
  const body = withoutLastLinks(cutAt(html, MOST_HTML));
  const text = withoutRest(cutAt(textOfHtml(body), MOST_TEXT)).replace(DATELINE, '');
  return { text, target: targetOf(html.slice(0, MOST_HTML), text, own) };
}

/** Links at the end, such as "Read more" in any language, are no text. */
function withoutLastLinks(html: string): string {
  let end = html.length;
  for (let n = 0; n < 5; n += 1) {
    const close = html.lastIndexOf('</a', end);
    const open = close === -1 ? -1 : html.lastIndexOf('<a', close);
    if (open === -1 || textOfHtml(html.slice(close, end)).length > 4) {
      break;
    }
    const words = textOfHtml(html.slice(open, close)).split(' ').length;
    if (words > 5) {
      break;
    }
    end = open;
  }
  return html.slice(0, end);
}

/** What follows an ellipsis near the end is no text of the article. */
function withoutRest(text: string): string {
  const at = Math.max(text.lastIndexOf('…'), text.lastIndexOf('...'), text.lastIndexOf('[…'));
  const isNearEnd = at > 40 && text.length - at < 80;
  // The last word may be cut, too.
  const cut = isNearEnd ? text.slice(0, Math.max(text.lastIndexOf(' ', at), at - 30)) : text;
  const post = cut.lastIndexOf('The post ');
  return post > 0 && cut.includes(' first on', post) ? cut.slice(0, post) : cut;
}

function targetOf(html: string, text: string, own: CanonicalLink | null): CanonicalLink | null {
  if (text.split(' ', MOST_WORDS_OF_LINKING + 1).length > MOST_WORDS_OF_LINKING) {
    return null;
  }
  const targets = new Map<string, CanonicalLink>();
  const add = (address: string) => {
    const link = canonicalLink(address);
    if (link !== null && siteOf(link) !== (own && siteOf(own)) && !isHomePage(link)) {
      targets.set(link.page, link);
    }
  };
  for (const [address] of text.matchAll(/https?:\/\/[^\s<>"')\]]{4,1000}/g)) {
    add(address);
  }
  let at = html.indexOf('<a');
  for (let n = 0; n < MOST_LINKS && at !== -1; n += 1) {
    const end = html.indexOf('>', at);
    const href = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(html.slice(at, end));
    add(decodeReferences(href?.[1] ?? href?.[2] ?? ''));
    at = html.indexOf('<a', at + 2);
  }
  const [target] = targets.values();
  return targets.size === 1 ? (target ?? null) : null;
}

/** The last two labels of a host, which a publisher's hosts share. */
const siteOf = (link: CanonicalLink): string => link.host.split('.').slice(-2).join('.');
