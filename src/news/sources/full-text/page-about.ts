import { isObject } from '../../../common/is-object.js';
import { readDate } from '../../feed-parser/dates/read-date.js';
import { webAddress } from '../../feed-parser/web-address.js';

/** What a web page says about itself: plain texts, not yet safe as HTML, and absolute addresses. */
export interface PageAbout {
  /** Without the name of the site, where the page tells both. */
  readonly title: string | null;
  readonly siteName: string | null;
  readonly author: string | null;
  readonly publishedSeconds: number | null;
  readonly description: string | null;
  readonly picture: string | null;
  /** A page with the player of a video, to be shown in a frame. */
  readonly player: string | null;
  /** The address that the page gives itself. */
  readonly canonicalUrl: string | null;
  /** Where the page sends browsers. */
  readonly refreshTo: string | null;
  readonly asksForPassword: boolean;
}

/** Of a document that was parsed. */
interface Queried {
  querySelector(selector: string): Tag | null;
  querySelectorAll(selector: string): ArrayLike<Tag>;
}

interface Tag {
  getAttribute(name: string): string | null;
  readonly textContent: string | null;
}

const MOST_META = 500;
const MOST_LD_OBJECTS = 200;
const LONGEST_TEXT = 2_000;

/**
 * Reads meta tags, JSON-LD and the first date of a page.
 *
 * @param ldTexts the contents of its scripts of type `application/ld+json`
 */
export function aboutPage(document: Queried, ldTexts: readonly string[], url: string): PageAbout {
  const meta = metaOf(document);
  const said = (...names: string[]) =>
    names.map((name) => line(meta.get(name))).find((text) => text !== null) ?? null;
  const address = (...names: string[]) =>
    names.map((name) => webAddress(said(name), url)).find((found) => found !== null) ?? null;
  const ld = articleOf(ldTexts);
  const siteName = said('og:site_name', 'application-name') ?? line(nameOf(ld['publisher']));
  const title =
    said('og:title') ??
    line(ld['headline'] ?? ld['name']) ??
    said('twitter:title', 'dc.title') ??
    line(document.querySelector('title')?.textContent) ??
    line(document.querySelector('h1')?.textContent);
  const hrefOf = (selector: string) =>
    webAddress(document.querySelector(selector)?.getAttribute('href') ?? null, url);
  return {
    title: withoutSite(title, siteName),
    siteName,
    author:
      namesOf(ld['author']) ??
      ['author', 'article:author', 'dc.creator', 'parsely-author', 'twitter:creator']
        .map((name) => said(name))
        .find((name) => name !== null && !/^https?:/i.test(name)) ??
      null,
    publishedSeconds: publishedIn(document, [
      line(ld['datePublished'] ?? ld['uploadDate']),
      said('article:published_time', 'datepublished', 'date', 'dc.date', 'dc.date.issued'),
      said('parsely-pub-date', 'publishdate', 'pubdate', 'citation_publication_date'),
    ]),
    description: said('og:description', 'description', 'twitter:description'),
    picture:
      address('og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image') ??
      webAddress(pictureIn(ld['image'] ?? ld['thumbnailUrl']), url) ??
      hrefOf('link[rel="image_src"]'),
    player: address('og:video:secure_url', 'og:video:url', 'twitter:player'),
    canonicalUrl: hrefOf('link[rel="canonical"]') ?? address('og:url'),
    refreshTo: refreshIn(document, url),
    asksForPassword: document.querySelector('input[type="password"]') !== null,
  };
}

/** The first value of each name, in lower case. */
function metaOf(document: Queried): ReadonlyMap<string, string> {
  const meta = new Map<string, string>();
  for (const tag of Array.from(document.querySelectorAll('meta[content]')).slice(0, MOST_META)) {
    const name = ['property', 'name', 'itemprop']
      .map((attribute) => tag.getAttribute(attribute))
      .find(Boolean);
    const key = name?.trim().toLowerCase();
    const content = tag.getAttribute('content') ?? '';
    if (key !== undefined && content.trim() !== '' && !meta.has(key)) {
      meta.set(key, content);
    }
  }
  return meta;
}

function publishedIn(document: Queried, said: readonly (string | null)[]): number | null {
  const time =
    document.querySelector('article time[datetime]') ?? document.querySelector('time[datetime]');
  return (
    [...said, time?.getAttribute('datetime') ?? null]
      .map((written) => readDate(written))
      .find((seconds) => seconds !== null) ?? null
  );
}

function refreshIn(document: Queried, url: string): string | null {
  const tag = Array.from(document.querySelectorAll('meta[http-equiv][content]')).find(
    (meta) => meta.getAttribute('http-equiv')?.trim().toLowerCase() === 'refresh',
  );
  const [, to = null] =
    /^\s*[\d.]{1,9}\s*[;,]\s*url\s*=\s*["']?\s*([^"'\s]+)/i.exec(
      tag?.getAttribute('content') ?? '',
    ) ?? [];
  const address = webAddress(to, url);
  return address === url ? null : address;
}

type LdObject = Readonly<Record<string, unknown>>;

/** The first object that is an article or a video; else the first with a headline; empty without one. */
function articleOf(ldTexts: readonly string[]): LdObject {
  const objects = ldTexts.flatMap((text) => objectsIn(parsed(text)));
  const isArticle = (object: LdObject) =>
    /(?:Article|Posting|Report|Review|Recipe|VideoObject)\b/.test(JSON.stringify(object['@type']));
  return objects.find(isArticle) ?? objects.find((object) => 'headline' in object) ?? {};
}

function objectsIn(value: unknown): LdObject[] {
  const roots = Array.isArray(value) ? value.slice(0, MOST_LD_OBJECTS) : [value];
  return roots.filter(isObject).flatMap((root) => {
    const graph = root['@graph'];
    const inside = Array.isArray(graph) ? graph.slice(0, MOST_LD_OBJECTS).filter(isObject) : [];
    return [root, ...inside].filter((object) => '@type' in object || 'headline' in object);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function namesOf(people: unknown): string | null {
  const all: readonly unknown[] = Array.isArray(people) ? people.slice(0, 20) : [people];
  const names = all.map((person) => line(nameOf(person))).filter((name) => name !== null);
  return names.length === 0 ? null : names.join(', ');
}

const nameOf = (named: unknown): unknown => (isObject(named) ? named['name'] : named);

function pictureIn(written: unknown): string | null {
  const first: unknown = Array.isArray(written) ? written[0] : written;
  return line(isObject(first) ? (first['url'] ?? first['contentUrl']) : first);
}

function line(value: unknown): string | null {
  const text = typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : '';
  return text === '' ? null : text.slice(0, LONGEST_TEXT);
}

/** `Title | Site` is `Title`, as is `Site: Title`. */
function withoutSite(title: string | null, siteName: string | null): string | null {
  if (title === null || siteName === null || title.length <= siteName.length) {
    return title;
  }
  const isSeparated = (rest: string) => /^\s*[|–—:·»«•-]\s+\S|\S\s+[|–—:·»«•-]\s*$/u.test(rest);
  const rests = [
    title.endsWith(siteName) ? title.slice(0, -siteName.length) : '',
    title.startsWith(siteName) ? title.slice(siteName.length) : '',
  ];
  const rest = rests.find(isSeparated);
  return rest === undefined ? title : rest.replace(/^\s*[|–—:·»«•-]\s+|\s+[|–—:·»«•-]\s*$/gu, '');
}
