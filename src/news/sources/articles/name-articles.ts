import { md5 } from '../../feed-parser/items/item-identity.js';
import type { ParsedItem } from '../../feed-parser/items/parsed-item.js';

/** The permanent guid of an article, unique in its source. */
export interface ArticleName {
  readonly guid: string;
  /** MD5 of the guid, as lower-case hex digits. */
  readonly guidHash: string;
}

/**
 * Chooses guids for new articles: the guid or link as written, unless another article of the source
 * has it; else one derived from it and the content, with the hash of all that is shown if that is taken as
 * well. Only where that is taken too it has a number, so that few are tried, however many entries share a link
 * and a title.
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
  const naming = new Naming(taken);
  const names = items.map((item) => naming.plainOf(item) ?? naming.anotherOf(item));
  let asked = items.flatMap((item, place) => (isPlain(item, names[place]) ? [] : place));
  while (asked.length > 0) {
    const found = new Set(await findTaken(asked.flatMap((place) => names[place]?.guidHash ?? [])));
    asked = asked.filter((place) => found.has(names[place]?.guidHash ?? ''));
    for (const place of asked) {
      const item = items[place];
      if (item !== undefined) {
        names[place] = naming.anotherOf(item);
      }
    }
  }
  return names;
}

class Naming {
  readonly #taken: Set<string>;
  /** The number to try next, by the guid that it is for. */
  readonly #next = new Map<string, number>();

  constructor(taken: ReadonlySet<string>) {
    this.#taken = new Set(taken);
  }

  /** Null if both are taken. */
  plainOf(item: ParsedItem): ArticleName | null {
    const free = plainNames(item).find(({ guidHash }) => !this.#taken.has(guidHash));
    return free === undefined ? null : this.#take(free);
  }

  /** One that was not given before, but may be stored. */
  anotherOf(item: ParsedItem): ArticleName {
    const guid = md5(item.lookup.derivedGuids[0] ?? item.guid, item.contentHash);
    for (;;) {
      const number = this.#next.get(guid) ?? 1;
      this.#next.set(guid, number + 1);
      const numbered = number === 1 ? guid : md5(guid, String(number));
      const guidHash = md5(numbered);
      if (!this.#taken.has(guidHash)) {
        return this.#take({ guid: numbered, guidHash });
      }
    }
  }

  #take(name: ArticleName): ArticleName {
    this.#taken.add(name.guidHash);
    return name;
  }
}

function plainNames({ guid, guidHash, lookup }: ParsedItem): ArticleName[] {
  const [derived] = lookup.derivedGuids;
  const [derivedHash] = lookup.derivedGuidHashes;
  return derived === undefined || derivedHash === undefined
    ? [{ guid, guidHash }]
    : [
        { guid, guidHash },
        { guid: derived, guidHash: derivedHash },
      ];
}

function isPlain(item: ParsedItem, name: ArticleName | undefined): boolean {
  return plainNames(item).some(({ guidHash }) => guidHash === name?.guidHash);
}
