import type { Lookup } from '../../feed-parser/parsed-feed.js';
import { NO_EVIDENCE, partOf, type EvidencePart } from '../../feed-parser/items/item-identity.js';

/** An item of a document, as far as its identity is concerned. */
export interface ListedItem {
  readonly lookup: Lookup;
  readonly contentHash: string;
}

/** An article that is stored, or that was and is remembered. Hashes in lower-case hex. */
export interface StoredArticle {
  readonly guidHash: string;
  /** Null where it is the same as `guidHash`. */
  readonly keyHash: string | null;
  /** Null for a removed article. */
  readonly contentHash: string | null;
  /** Null where it was not needed so far, or is not known. */
  readonly evidence: string | null;
  /** Whether the document before this one listed it. */
  readonly wasListed: boolean;
  /** Only its tombstone is left. */
  readonly isRemoved: boolean;
  /** Articles that came later have higher ids; 0 for a removed one. */
  readonly id: number;
}

/** What an item turned out to be. */
export interface Match<Item, Article> {
  readonly item: Item;
  /** Null for an item that is new. */
  readonly article: Article | null;
  /** Whether the evidence counts: else the key alone says which article it is. */
  readonly byEvidence: boolean;
}

/** The items of a document and the stored articles that share a lookup key. */
interface Group<Item, Article> {
  readonly items: Item[];
  readonly articles: Article[];
}

type Pair<Item, Article> = readonly [item: Item, article: Article];

/** The articles whose evidence decides and is not at hand. */
export function articlesToCompare<Item extends ListedItem, Article extends StoredArticle>(
  items: readonly Item[],
  articles: readonly Article[],
): Article[] {
  return groupsOf(items, articles)
    .filter((group) => onlyPairOf(group) === null)
    .flatMap((group) => group.articles)
    .filter(({ evidence, isRemoved }) => evidence === null && !isRemoved);
}

/**
 * Says of each item of a document which article it is, in the order of the items: an article that
 * is stored already, or a new one. No article is given to two items.
 *
 * @param articles those of the source that share a key or a derived guid with an item
 * @see docs/decisions/0023-identity-of-articles.md
 */
export function matchArticles<Item extends ListedItem, Article extends StoredArticle>(
  items: readonly Item[],
  articles: readonly Article[],
): Match<Item, Article>[] {
  const known = new Map<Item, Article>();
  const byEvidence = new Set<Item>();
  for (const group of groupsOf(items, articles)) {
    const [item] = group.items;
    const isContested = group.articles.length > 1 || group.items.length > 1;
    for (const [matched, article] of matchGroup(group)) {
      known.set(matched, article);
    }
    if (isContested || item?.lookup.kind !== 'guid') {
      group.items.forEach((listed) => byEvidence.add(listed));
    }
  }
  return items.map((item) => ({
    item,
    article: known.get(item) ?? null,
    byEvidence: byEvidence.has(item),
  }));
}

function groupsOf<Item extends ListedItem, Article extends StoredArticle>(
  items: readonly Item[],
  articles: readonly Article[],
): Group<Item, Article>[] {
  const groups = new Map<string, Group<Item, Article>>();
  const ofDerived = new Map<string, Group<Item, Article>>();
  for (const item of items) {
    const { keyHash, derivedGuidHashes } = item.lookup;
    const group = groups.get(keyHash) ?? { items: [], articles: [] };
    group.items.push(item);
    groups.set(keyHash, group);
    derivedGuidHashes.forEach((hash) => ofDerived.set(hash, group));
  }
  for (const article of articles) {
    const { keyHash, guidHash } = article;
    const group =
      keyHash === null ? (groups.get(guidHash) ?? ofDerived.get(guidHash)) : groups.get(keyHash);
    group?.articles.push(article);
  }
  return [...groups.values()];
}

function matchGroup<Item extends ListedItem, Article extends StoredArticle>(
  group: Group<Item, Article>,
): Pair<Item, Article>[] {
  const only = onlyPairOf(group);
  if (only !== null) {
    return only;
  }
  const [item] = group.items;
  const [article] = group.articles;
  if (isUncontested(group) && item !== undefined && article !== undefined) {
    return mayBeSame(item, article) ? [[item, article]] : [];
  }
  return new ContestedKey(group).match();
}

/** What can be said without evidence; null when it is needed. */
function onlyPairOf<Item extends ListedItem, Article extends StoredArticle>(
  group: Group<Item, Article>,
): Pair<Item, Article>[] | null {
  const [item] = group.items;
  const [article] = group.articles;
  if (item === undefined || article === undefined) {
    return [];
  }
  if (!isUncontested(group)) {
    return null;
  }
  const isSame =
    item.lookup.kind === 'guid' ||
    item.contentHash === article.contentHash ||
    isStoredUnderDerivedGuid(item, article) ||
    (article.isRemoved && article.evidence === null);
  return isSame ? [[item, article]] : null;
}

function isUncontested({ items, articles }: Group<ListedItem, StoredArticle>): boolean {
  return items.length === 1 && articles.length === 1 && items[0]?.lookup.kind !== 'keyless';
}

/**
 * Whether an article is called by the derived guid of this very item. So are those that a version
 * without keys stored. Of later ones this is certain for keyless ones only, whose derived guid tells
 * all that was written: they are found by it after an upgrade that cleans texts otherwise.
 */
function isStoredUnderDerivedGuid({ lookup }: ListedItem, article: StoredArticle): boolean {
  return (
    (article.keyHash === null || lookup.kind === 'keyless') &&
    article.guidHash !== lookup.keyHash &&
    lookup.derivedGuidHashes.includes(article.guidHash)
  );
}

/** A link names an entry unless everything else is different; then the page was used again. */
function mayBeSame(item: ListedItem, article: StoredArticle): boolean {
  const parts = (['title', 'date', 'body'] as const).map((part) => [
    partOf(item.lookup.evidence, part),
    partOf(article.evidence, part),
  ]);
  return (
    parts.some(([ours, theirs]) => ours === theirs && ours !== NO_EVIDENCE) ||
    parts.every(([ours, theirs]) => ours === theirs)
  );
}

/**
 * Several items or several articles share a key, or there is none: the evidence decides, best match
 * first. What several share tells nothing; where that leaves doubt, an item is a new article, since
 * to lose one is worse than to repeat one.
 */
class ContestedKey<Item extends ListedItem, Article extends StoredArticle> {
  readonly #items: readonly Item[];
  readonly #articles: readonly Article[];
  readonly #matched = new Map<Item, Article>();
  readonly #taken = new Set<Article>();
  /** Whether the publisher wrote the key as a guid: then an equal link is evidence, too. */
  readonly #hasGuid: boolean;

  constructor({ items, articles }: Group<Item, Article>) {
    this.#items = items;
    // Of equal ones the first is taken: what is stored and was listed last, the older before the newer.
    this.#articles = articles.toSorted(
      (a, b) =>
        Number(b.wasListed) - Number(a.wasListed) ||
        Number(a.isRemoved) - Number(b.isRemoved) ||
        a.id - b.id,
    );
    this.#hasGuid = items.some(({ lookup }) => lookup.kind === 'guid');
  }

  match(): Pair<Item, Article>[] {
    this.#matchEqual();
    this.#matchDerivedGuids();
    this.#matchAllButOnePart();
    if (this.#hasGuid) {
      this.#matchLinks();
    }
    return [...this.#matched];
  }

  #matchEqual(): void {
    const articles = Map.groupBy(this.#articles, ({ evidence }) => evidence);
    for (const item of this.#items) {
      this.#take(item, articles.get(item.lookup.evidence));
    }
  }

  #matchDerivedGuids(): void {
    const articles = Map.groupBy(this.#articles, ({ guidHash }) => guidHash);
    for (const item of this.#items) {
      const named = item.lookup.derivedGuidHashes.flatMap((hash) => articles.get(hash) ?? []);
      this.#take(
        item,
        named.filter((article) => isStoredUnderDerivedGuid(item, article)),
      );
    }
  }

  /** The same when at most one part changed, and what remains is nobody else's. */
  #matchAllButOnePart(): void {
    const parts: readonly EvidencePart[] = this.#hasGuid
      ? ['title', 'date', 'body', 'link']
      : ['title', 'date', 'body'];
    const pairs = parts.flatMap((changed) =>
      this.#pairsThatAgreeIn(parts.filter((part) => part !== changed)),
    );
    for (const agreeing of [3, 2, 1]) {
      this.#matchUndisputed(
        pairs.filter((pair) => pair.agreeing === agreeing).map(({ pair }) => pair),
      );
    }
  }

  /** An equal link besides an equal guid is enough, whatever else changed. */
  #matchLinks(): void {
    this.#matchUndisputed(this.#pairsThatAgreeIn(['link'], 1).map(({ pair }) => pair));
  }

  /**
   * Items and articles that agree in these parts, as no others do. Of several articles that do, it
   * is the one that the document listed last, if enough agrees: the others are older copies of it.
   *
   * @param enough how many parts have to be there for that
   */
  #pairsThatAgreeIn(
    parts: readonly EvidencePart[],
    enough = 2,
  ): { readonly pair: Pair<Item, Article>; readonly agreeing: number }[] {
    const valueOf = (evidence: string | null) => parts.map((part) => partOf(evidence, part)).join();
    const articles = Map.groupBy(
      this.#articles.filter(({ evidence }) => evidence !== null),
      ({ evidence }) => valueOf(evidence),
    );
    const items = Map.groupBy(this.#items, ({ lookup }) => valueOf(lookup.evidence));
    return [...items].flatMap(([value, [item, ...others]]) => {
      const agreeing = value.split(',').filter((part) => part !== NO_EVIDENCE).length;
      const candidates = articles.get(value) ?? [];
      const listed = candidates.filter(({ wasListed }) => wasListed);
      const [article, ...rivals] =
        candidates.length > 1 && agreeing >= enough ? listed : candidates;
      const isClear = others.length === 0 && rivals.length === 0 && agreeing > 0;
      return isClear && item !== undefined && article !== undefined
        ? [{ pair: [item, article] as const, agreeing }]
        : [];
    });
  }

  #matchUndisputed(pairs: readonly Pair<Item, Article>[]): void {
    const free = pairs.filter(
      ([item, article]) => !this.#matched.has(item) && !this.#taken.has(article),
    );
    const articlesOf = new Map(free.map(([item]) => [item, new Set<Article>()]));
    const itemsOf = new Map(free.map(([, article]) => [article, new Set<Item>()]));
    for (const [item, article] of free) {
      articlesOf.get(item)?.add(article);
      itemsOf.get(article)?.add(item);
    }
    for (const [item, article] of free) {
      if (articlesOf.get(item)?.size === 1 && itemsOf.get(article)?.size === 1) {
        this.#take(item, [article]);
      }
    }
  }

  #take(item: Item, candidates: readonly Article[] = []): void {
    const article = candidates.find((candidate) => !this.#taken.has(candidate));
    if (article !== undefined && !this.#matched.has(item)) {
      this.#matched.set(item, article);
      this.#taken.add(article);
    }
  }
}
