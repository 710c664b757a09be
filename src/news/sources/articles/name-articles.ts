import type { SqlRunner } from '../../../database/database.js';
import type { ParsedItem } from '../../feed-parser/parsed-feed.js';
import { md5 } from '../../feed-parser/items/item-identity.js';
import { hexBytes } from './known-articles.sql.js';

/** What an article is called for good, in its source. */
export interface ArticleName {
  readonly guid: string;
  readonly guidHash: string;
}

/**
 * Names for new articles: the guid or link as written, unless another article of the source is
 * called so; else a guid derived from it and the content, with a number if that is taken, too.
 *
 * @param taken guid hashes of all articles that have a guid of the items, plain or derived
 * @returns in the order of the items
 */
export async function nameArticles(
  tx: SqlRunner,
  sourceId: number,
  items: readonly ParsedItem[],
  taken: ReadonlySet<string>,
): Promise<ArticleName[]> {
  const known = new Set(taken);
  for (;;) {
    const { names, numbered } = choose(items, known);
    const rows =
      numbered.length === 0
        ? []
        : await tx.query<{ hash: string }>(
            `select encode(guid_hash, 'hex') as hash from article
              where source_id = $1 and guid_hash = any($2::bytea[])
              union select encode(guid_hash, 'hex') from article_tombstone
              where source_id = $1 and guid_hash = any($2)`,
            [sourceId, numbered.map((hash) => hexBytes(hash))],
          );
    if (rows.length === 0) {
      return names;
    }
    rows.forEach(({ hash }) => known.add(hash));
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
