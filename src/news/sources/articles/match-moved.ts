import {
  pageOf,
  type Page,
  md5,
  NO_EVIDENCE,
  partOf,
} from '../../feed-parser/items/item-identity.js';
import type { ParsedItem } from '../../feed-parser/items/parsed-item.js';
import type { StoredArticle } from './match-articles.js';

type ListedItem = Pick<ParsedItem, 'guid' | 'lookup' | 'url' | 'enclosureLink'>;

/** A stored article that the last document listed, and this one does not under its key. */
export interface MissingArticle extends StoredArticle {
  readonly guid: string;
  readonly url: string | null;
  readonly enclosureLink: string | null;
}

/** The stable parts of an entry when a site moves, which tell it from others. */
interface Facets {
  /** Digits of the evidence; zeros if missing. */
  readonly title: string;
  readonly date: string;
  readonly body: string;
  /** Null where it is not the page of this entry alone. */
  readonly page: Page | null;
  readonly keyHash: string;
  /** Null if the key is no guid. */
  readonly guid: string | null;
}

interface Clue {
  /** Null where an entry lacks it. */
  readonly valueOf: (facets: Facets) => string | null | undefined;
  readonly confirms: (item: Facets, article: Facets) => boolean;
  /** Whether entries that share it may be exchanged, since nothing else distinguishes them. */
  readonly mayBeShared?: true;
}

/** The strongest first. */
const CLUES: readonly Clue[] = [
  {
    valueOf: ({ title, date, body, page }) => page && title + date + body + page.path,
    confirms: ({ date, body }) => has(date) && has(body),
  },
  {
    valueOf: ({ title, date, body }) => title + date + body,
    confirms: ({ date, body }) => has(date) && has(body),
    mayBeShared: true,
  },
  {
    valueOf: ({ title, page }) => page && title + page.path,
    confirms: (item, article) =>
      agreeInContent(item, article) ||
      (item.keyHash !== article.keyHash &&
        !haveOtherGuids(item, article) &&
        (item.page?.host === article.page?.host || !has(item.date) || !has(article.date))),
  },
  {
    valueOf: ({ title, page }) => page?.slug && title + page.slug,
    confirms: (item, article) =>
      agreeInContent(item, article) ||
      (item.page?.host === article.page?.host && haveNoContent(item) && haveNoContent(article)),
  },
  {
    // The headline in the address changed with the title.
    valueOf: ({ date, body, page }) =>
      page && numberOf(page) && [page.host, numberOf(page), date, body].join(),
    confirms: (item, article) =>
      has(item.date) && has(item.body) && areNamedByAddress(item, article),
  },
];

/** Digits of an address that number an entry; years and dates do not. */
function numberOf({ path }: Page): string | null {
  const numbers = path.match(/\d{3,}/g) ?? [];
  return numbers.filter((number) => !/^(?:19|20)\d\d(?:\d\d){0,2}$/.test(number)).join() || null;
}

/** Whether no guid of its own tells one entry from the other. */
function areNamedByAddress(...facets: readonly Facets[]): boolean {
  return facets.every(({ guid }) => guid === null || pageOf(guid) !== null);
}

/**
 * Finds articles whose keys changed, since the site moved, signs its links, or names its entries in
 * another way.
 *
 * @param listed all items of the document; a page that several of them have identifies none
 * @param unknown items that no key or evidence identified
 * @see docs/decisions/0023-identity-of-articles.md, 12
 */
export function matchMoved<Item extends ListedItem, Article extends MissingArticle>(
  listed: readonly Item[],
  unknown: ReadonlySet<Item>,
  missing: readonly Article[],
): Map<Item, Article> {
  const items = withOwnPages(listed, facetsOfItem);
  const articles = withOwnPages(missing, facetsOfArticle);
  const matched = new Map<Item, Article>();
  for (const { valueOf, confirms, mayBeShared = false } of CLUES) {
    const taken = new Set(matched.values());
    const free = articles.filter(({ thing }) => !taken.has(thing));
    const sharing = Map.groupBy(items, ({ facets }) => valueOf(facets));
    const candidates = Map.groupBy(free, ({ facets }) => valueOf(facets));
    for (const { thing: item, facets } of items) {
      const value = valueOf(facets);
      const alike = (value && candidates.get(value)) || [];
      const [first] = alike;
      const isClear = mayBeShared || (alike.length === 1 && sharing.get(value)?.length === 1);
      const isFree = unknown.has(item) && !matched.has(item);
      if (first && isFree && isClear && confirms(facets, first.facets)) {
        matched.set(item, first.thing);
        alike.shift();
      }
    }
  }
  return matched;
}

/** A page that several have identifies none of them. */
function withOwnPages<Thing>(things: readonly Thing[], facetsOf: (thing: Thing) => Facets) {
  const all = things.map((thing) => ({ thing, facets: facetsOf(thing) }));
  const sharing = Map.groupBy(all, ({ facets }) => facets.page?.path);
  return all.map(({ thing, facets }) => {
    const isShared = (sharing.get(facets.page?.path)?.length ?? 0) > 1;
    return { thing, facets: isShared ? { ...facets, page: null } : facets };
  });
}

function facetsOfItem({ lookup, guid, url, enclosureLink }: ListedItem): Facets {
  const { evidence, kind, hasOwnPage } = lookup;
  return {
    ...contentOf(evidence),
    page: hasOwnPage ? pageOf(url ?? enclosureLink) : null,
    keyHash: lookup.keyHash,
    guid: kind === 'guid' ? guid : null,
  };
}

function facetsOfArticle(article: MissingArticle): Facets {
  const { evidence, guid, guidHash, keyHash, url, enclosureLink } = article;
  const isLink = [url, enclosureLink].some((link) => link && md5(link) === (keyHash ?? guidHash));
  return {
    ...contentOf(evidence),
    page: pageOf(url ?? enclosureLink),
    keyHash: keyHash ?? guidHash,
    guid: isLink ? null : guid,
  };
}

function contentOf(evidence: string | null): Pick<Facets, 'title' | 'date' | 'body'> {
  return {
    title: partOf(evidence, 'title'),
    date: partOf(evidence, 'date'),
    body: partOf(evidence, 'body'),
  };
}

function agreeInContent(one: Facets, other: Facets): boolean {
  return (has(one.date) && one.date === other.date) || (has(one.body) && one.body === other.body);
}

function haveNoContent({ date, body }: Facets): boolean {
  return !has(date) && !has(body);
}

/** Guids distinguish entries, unless they are addresses that moved with their pages. */
function haveOtherGuids(item: Facets, article: Facets): boolean {
  return (
    item.guid !== null &&
    article.guid !== null &&
    (pageOf(item.guid)?.path ?? 1) !== (pageOf(article.guid)?.path ?? 2)
  );
}

function has(part: string): boolean {
  return part !== NO_EVIDENCE;
}
