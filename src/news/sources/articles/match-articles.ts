import { NO_EVIDENCE, partOf, type EvidencePart } from '../../feed-parser/items/item-identity.js';
import type { Lookup } from '../../feed-parser/items/parsed-item.js';

/** Identifying parts of an item of a document. */
interface ListedItem {
  readonly lookup: Lookup;
  readonly contentHash: string;
}

/** A stored article, or the tombstone of a removed one. Hashes are lower-case hex digits. */
export interface StoredArticle {
  readonly guidHash: string;
  /** Null where it is the same as `guidHash`. */
  readonly keyHash: string | null;
  /** Null for a removed article. */
  readonly contentHash: string | null;
  /** Null where it was not needed yet, or is unknown. */
  readonly evidence: string | null;
  /** Whether the previous document listed it. */
  readonly wasListed: boolean;
  /** Whether only its tombstone is left. */
  readonly isRemoved: boolean;
  /** Higher for later articles; 0 for a removed one. */
  readonly id: number;
}

export interface Match<Item, Article> {
  readonly item: Item;
  /** Null for a new item. */
  readonly article: Article | null;
  /** Whether the evidence decided; else the lookup key alone did. */
  readonly byEvidence: boolean;
}

/** The items of a document and the stored articles that share a lookup key. */
interface Group<Item, Article> {
  readonly items: Item[];
  readonly articles: Article[];
}

type Pair<Item, Article> = readonly [item: Item, article: Article];

/** The articles whose missing evidence is needed. */
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
 * Decides for each item of a document which article it is: a stored one, or a new one. No article
 * is matched with two items.
 *
 * @param articles of the source that share a lookup key or a derived guid with an item
 * @returns in the order of the items
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
    if (isContested || item?.lookup.kind === 'link' || item?.lookup.kind === 'keyless') {
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

/** The matches that need no evidence; null when it is needed. */
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
    item.lookup.kind === 'set' ||
    item.contentHash === article.contentHash ||
    isStoredUnderDerivedGuid(item, article) ||
    (article.isRemoved && article.evidence === null);
  return isSame ? [[item, article]] : null;
}

/** A key of one item and one article, other than a link that further entries will have. */
function isUncontested({ items, articles }: Group<ListedItem, StoredArticle>): boolean {
  const { kind, hasOwnPage } = items[0]?.lookup ?? {};
  const isPrecise = kind === 'link' ? hasOwnPage : kind !== 'keyless';
  return items.length === 1 && articles.length === 1 && isPrecise === true;
}

/**
 * Whether the guid of an article is derived from this item. Versions without lookup keys stored such
 * guids. Of later articles only keyless ones count, whose derived guid covers the whole entry: it
 * finds them after an upgrade that sanitises texts differently.
 */
function isStoredUnderDerivedGuid({ lookup }: ListedItem, article: StoredArticle): boolean {
  return (
    (article.keyHash === null || lookup.kind === 'keyless') &&
    article.guidHash !== lookup.keyHash &&
    lookup.derivedGuidHashes.includes(article.guidHash)
  );
}

/** A link identifies an entry unless everything else is different: then the page was reused. */
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
 * Several items or articles share a lookup key, or there is none: the evidence decides, best match first.
 * Shared values do not count. In doubt an item is a new article, since losing an article is worse than
 * repeating one.
 */
class ContestedKey<Item extends ListedItem, Article extends StoredArticle> {
  readonly #items: readonly Item[];
  readonly #articles: readonly Article[];
  readonly #matched = new Map<Item, Article>();
  readonly #taken = new Set<Article>();
  /** Whether the key is a guid: then an equal link is evidence as well. */
  readonly #hasGuid: boolean;

  constructor({ items, articles }: Group<Item, Article>) {
    this.#items = items;
    // The first of equal ones wins: listed before unlisted, stored before removed, older before newer.
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
    this.#items
      .filter(({ lookup }) => lookup.kind === 'set')
      .forEach((item) => this.#take(item, this.#articles));
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

  /** Matches that agree in all parts but one, as no other item or article does. */
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

  /** An equal link and an equal guid suffice, even if all else changed. */
  #matchLinks(): void {
    this.#matchUndisputed(this.#pairsThatAgreeIn(['link'], 1).map(({ pair }) => pair));
  }

  /**
   * Items and articles that agree in these parts, as no others do. Of several such articles the one
   * that was listed last counts, if enough parts agree: the others are older copies of it.
   *
   * @param enough number of parts that have to be present for that
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
