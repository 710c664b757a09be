import { pageOf, type Page } from '../../feed-parser/items/entry-page.js';
import { md5, NO_EVIDENCE, partOf } from '../../feed-parser/items/item-identity.js';
import type { ParsedItem } from '../../feed-parser/parsed-feed.js';
import type { StoredArticle } from './match-articles.js';

type ListedItem = Pick<ParsedItem, 'guid' | 'lookup' | 'url' | 'enclosureLink'>;

/** A stored article that the last document listed, and this one does not under its key. */
export interface MissingArticle extends StoredArticle {
  readonly guid: string;
  readonly url: string | null;
  readonly enclosureLink: string | null;
}

/** What stays of an entry when a site moves, and what tells it from others. */
interface Facets {
  /** Digits of the evidence; zeros if missing. */
  readonly title: string;
  readonly date: string;
  readonly body: string;
  readonly page: Page | null;
  readonly keyHash: string;
  /** Null if the key is no guid. */
  readonly guid: string | null;
}

interface Clue {
  /** Null where an entry lacks it. */
  readonly valueOf: (facets: Facets) => string | null | undefined;
  readonly confirms: (item: Facets, article: Facets) => boolean;
  /** Whether entries that share it may be exchanged, since nothing tells them apart. */
  readonly mayBeShared: boolean;
}

const CONTENT: Clue = {
  valueOf: ({ title, date, body }) => (has(date) && has(body) ? title + date + body : null),
  confirms: () => true,
  mayBeShared: true,
};

/** The strongest first. */
const CLUES: readonly Clue[] = [
  {
    ...CONTENT,
    valueOf: (facets) => facets.page && CONTENT.valueOf(facets)?.concat(facets.page.path),
  },
  CONTENT,
  {
    valueOf: ({ title, page }) => page && title + page.path,
    confirms: (item, article) =>
      agreeInContent(item, article) ||
      (item.keyHash !== article.keyHash &&
        !haveOtherGuids(item, article) &&
        (item.page?.host === article.page?.host || !has(item.date) || !has(article.date))),
    mayBeShared: false,
  },
  {
    valueOf: ({ title, page }) => page?.slug && title + page.slug,
    confirms: (item, article) =>
      agreeInContent(item, article) ||
      (item.page?.host === article.page?.host && haveNoContent(item) && haveNoContent(article)),
    mayBeShared: false,
  },
];

/**
 * Finds articles whose keys changed, since the site moved, signs its links, or names its entries in
 * another way: equal title, own date and text, or equal title and page on another server; or equal title and
 * last part of the path, with an equal date or text.
 *
 * @param listed all items of the document; a page that several of them have identifies none
 * @param unknown those of them that no key or evidence identified
 * @see docs/decisions/0023-identity-of-articles.md, 12
 */
export function matchMoved<Item extends ListedItem, Article extends MissingArticle>(
  listed: readonly Item[],
  unknown: readonly Item[],
  missing: readonly Article[],
): Map<Item, Article> {
  const facets = ownPages(new Map(listed.map((item) => [item, facetsOfItem(item)])));
  const facetsOf = (item: Item) => facets.get(item) ?? facetsOfItem(item);
  const articles = ownPages(new Map(missing.map((article) => [article, facetsOfArticle(article)])));
  const matched = new Map<Item, Article>();
  for (const { valueOf, confirms, mayBeShared } of CLUES) {
    const all = Map.groupBy(listed, (item) => valueOf(facetsOf(item)));
    const taken = new Set(matched.values());
    const free = [...articles].filter(([article]) => !taken.has(article));
    const candidates = Map.groupBy(free, ([, one]) => valueOf(one));
    for (const item of unknown.filter((one) => !matched.has(one))) {
      const value = valueOf(facetsOf(item));
      const alike = (value && candidates.get(value)) || [];
      const isClear = mayBeShared || (alike.length === 1 && all.get(value)?.length === 1);
      const [article, facetsOfFirst] = alike[0] ?? [];
      if (isClear && article && facetsOfFirst && confirms(facetsOf(item), facetsOfFirst)) {
        matched.set(item, article);
        alike.shift();
      }
    }
  }
  return matched;
}

/** A page that several have identifies none of them. */
function ownPages<Thing>(all: ReadonlyMap<Thing, Facets>): Map<Thing, Facets> {
  const sharing = Map.groupBy(all.values(), ({ page }) => page?.path);
  return new Map(
    [...all].map(([thing, facets]) => {
      const isShared = (sharing.get(facets.page?.path)?.length ?? 0) > 1;
      return [thing, isShared ? { ...facets, page: null } : facets];
    }),
  );
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

function contentOf(evidence: string | null) {
  const [title, date, body] = (['title', 'date', 'body'] as const).map((part) =>
    partOf(evidence, part),
  );
  return { title, date, body } as Pick<Facets, 'title' | 'date' | 'body'>;
}

function agreeInContent(one: Facets, other: Facets): boolean {
  return (has(one.date) && one.date === other.date) || (has(one.body) && one.body === other.body);
}

function haveNoContent({ date, body }: Facets): boolean {
  return !has(date) && !has(body);
}

/** Guids tell entries apart, unless they are addresses that moved with their pages. */
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
