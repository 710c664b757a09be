import { Readability } from '@mozilla/readability';
import type { parseHTML } from 'linkedom';
import { readDate } from '../../feed-parser/dates/read-date.js';
import { webAddress } from '../../feed-parser/web-address.js';

/** What a web page says about itself: plain texts, not yet safe as HTML, and absolute addresses. */
export interface PageAbout {
  readonly title: string | null;
  readonly author: string | null;
  readonly publishedSeconds: number | null;
  readonly description: string | null;
  readonly picture: string | null;
  /** A page with the player of a video, to be shown in a frame. */
  readonly player: string | null;
  /** The address that the page gives itself. */
  readonly canonicalUrl: string | null;
  readonly asksForPassword: boolean;
}

const PICTURES = ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image'];
const PLAYERS = ['og:video:secure_url', 'og:video:url', 'twitter:player'];

/** Readability says nothing of a page without a text. */
const SOME_TEXT = '<p>…</p>';

const line = (text: string | null) => text?.replace(/\s+/g, ' ').trim() || null;

/**
 * Reads titles, meta tags, structured data and the first date of a page.
 *
 * @param document is changed
 * @param ldTexts contents of its scripts of type `application/ld+json`
 */
export function aboutPage(
  { document }: ReturnType<typeof parseHTML>,
  ldTexts: readonly string[],
  url: string,
): PageAbout {
  const valueOf = (selector: string, attribute: string) =>
    document.querySelector(selector)?.getAttribute(attribute)?.trim() || null;
  const meta = (name: string) =>
    valueOf(`meta[property="${name}"]`, 'content') ?? valueOf(`meta[name="${name}"]`, 'content');
  const address = (names: readonly string[]) =>
    names.map((name) => webAddress(meta(name), url)).find((found) => found !== null) ?? null;
  const time = valueOf('article time[datetime]', 'datetime') ?? valueOf('time', 'datetime');
  const about = {
    description: meta('og:description') ?? meta('description'),
    picture: address(PICTURES),
    player: address(PLAYERS),
    canonicalUrl: webAddress(valueOf('link[rel="canonical"]', 'href'), url),
    asksForPassword: document.querySelector('input[type="password"]') !== null,
  };

  document.head.append(...document.querySelectorAll('title, meta'));
  for (const text of ldTexts) {
    const script = document.createElement('script');
    script.setAttribute('type', 'application/ld+json');
    script.textContent = text;
    document.head.append(script);
  }
  document.body.innerHTML = SOME_TEXT;
  const said = new Readability(document).parse();
  return {
    ...about,
    title: line(said?.title ?? null),
    author: line(said?.byline ?? null),
    publishedSeconds: readDate(said?.publishedTime ?? null) ?? readDate(time),
  };
}
