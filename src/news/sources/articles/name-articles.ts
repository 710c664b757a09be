import type { ParsedItem } from '../../feed-parser/items/parsed-item.js';
import { md5 } from '../../feed-parser/items/item-identity.js';

/** The permanent guid of an article, unique in its source. */
export interface ArticleName {
  readonly guid: string;
  /** MD5 of the guid, as lower-case hex digits. */
  readonly guidHash: string;
}

/**
 * Chooses guids for new articles: the guid or link as written, unless another article of the source
 * has it; else one derived from it and the content, with a number if that is taken as well.
 *
 * @param taken guid hashes of all articles that have a guid of the items, plain or derived
 * @param findTaken which of these guid hashes the source has stored
 * @returns in the order of the items
 */
export async function nameArticles(
  items: readonly ParsedItem[],
  taken: ReadonlySet<string>,
  findTaken: (guidHashes: readonly string[]) => Promise<readonly string[]>,
): Promise<ArticleName[]> {
  const known = new Set(taken);
  for (;;) {
    const { names, numbered } = choose(items, known);
    const found = numbered.length === 0 ? [] : await findTaken(numbered);
    if (found.length === 0) {
      return names;
    }
    found.forEach((guidHash) => known.add(guidHash));
  }
}

function choose(
  items: readonly ParsedItem[],
  known: ReadonlySet<string>,
): { readonly names: ArticleName[]; readonly numbered: string[] } {
  const taken = new Set(known);
  const numbered: string[] = [];
  const names = items.map((item) => {
    const wanted = [item.guid, ...item.lookup.derivedGuids.slice(0, 1)].map(named);
    const name = wanted.find(({ guidHash }) => !taken.has(guidHash)) ?? numberedName(item, taken);
    if (!wanted.includes(name)) {
      numbered.push(name.guidHash);
    }
    taken.add(name.guidHash);
    return name;
  });
  return { names, numbered };
}

function numberedName(item: ParsedItem, taken: ReadonlySet<string>): ArticleName {
  const derived = item.lookup.derivedGuids[0] ?? item.guid;
  for (let number = 2; ; number += 1) {
    const name = named(md5(derived, String(number)));
    if (!taken.has(name.guidHash)) {
      return name;
    }
  }
}

function named(guid: string): ArticleName {
  return { guid, guidHash: md5(guid) };
}
